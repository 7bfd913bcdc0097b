import { randomUUID } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode, type CallToolResult, type InputRequests } from '@modelcontextprotocol/server'

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
type Answers = Record<string, unknown>
type Outcome = { result?: CallToolResult; error?: { code: number; message: string } }

/** What a running task may do: notice that it was cancelled, and ask the client. */
export type TaskContext = { signal: AbortSignal; ask: (questions: InputRequests) => Promise<Answers> }
export type Job = (context: TaskContext) => Promise<CallToolResult>
export type TaskBoard = ReturnType<typeof createTaskBoard>

const ttlMs = 300_000
const maxTasks = 1000

/** The tasks of the tasks extension (SEP-2663): started, asked after, answered, cancelled, forgotten after their time. */
export function createTaskBoard() {
  const tasks = new Map<string, Task>()

  function find(taskId: string): Task {
    const task = tasks.get(taskId)
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Task ${taskId} is unknown or expired.`)
    return task
  }

  return {
    start(job: Job) {
      if (tasks.size >= maxTasks)
        throw new ProtocolError(ProtocolErrorCode.InternalError, `${maxTasks} tasks are kept; wait for one to expire.`)
      const task = new Task(job)
      tasks.set(task.taskId, task)
      setTimeout(() => tasks.delete(task.taskId), ttlMs).unref()
      return task.summary()
    },
    get: (taskId: string) => find(taskId).detail(),
    answer: (taskId: string, answers: Answers) => find(taskId).answer(answers),
    cancel: (taskId: string) => find(taskId).cancel(),
    close() {
      for (const task of tasks.values()) task.cancel()
      tasks.clear()
    },
  }
}

class Task {
  readonly taskId = randomUUID()
  readonly #createdAt = new Date().toISOString()
  readonly #abort = new AbortController()
  readonly #answers: Answers = {}
  #lastUpdatedAt = this.#createdAt
  #status: Status = 'working'
  #questions: InputRequests = {}
  #outcome: Outcome = {}
  #resume: (() => void) | undefined

  constructor(job: Job) {
    job({ signal: this.#abort.signal, ask: (questions) => this.#ask(questions) }).then(
      (result) => this.#end('completed', { result }),
      (error: unknown) => this.#end('failed', { error: describe(error) }),
    )
  }

  summary() {
    const { taskId } = this
    return {
      taskId,
      status: this.#status,
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      ttlMs,
      pollIntervalMs: 100,
    }
  }

  detail() {
    return {
      ...this.summary(),
      ...this.#outcome,
      ...(this.#status === 'input_required' && { inputRequests: this.#questions }),
    }
  }

  answer(answers: Answers): void {
    for (const [key, answer] of Object.entries(answers)) {
      if (!(key in this.#questions)) continue
      this.#answers[key] = answer
      delete this.#questions[key]
    }
    if (this.#status !== 'input_required' || Object.keys(this.#questions).length > 0) return
    this.#set('working')
    this.#resume?.()
  }

  cancel(): void {
    this.#end('cancelled', {})
    this.#abort.abort()
  }

  #ask(questions: InputRequests): Promise<Answers> {
    this.#questions = { ...questions }
    this.#set('input_required')
    return new Promise((resolve) => {
      this.#resume = () => resolve(this.#answers)
    })
  }

  /** Whatever ended a task first stays: a job that notices its cancellation late changes nothing. */
  #end(status: 'completed' | 'failed' | 'cancelled', outcome: Outcome): void {
    if (this.#status !== 'working' && this.#status !== 'input_required') return
    this.#outcome = outcome
    this.#set(status)
  }

  #set(status: Status): void {
    this.#status = status
    this.#lastUpdatedAt = new Date().toISOString()
  }
}

function describe(error: unknown) {
  return {
    code: error instanceof ProtocolError ? error.code : ProtocolErrorCode.InternalError,
    message: error instanceof Error ? error.message : String(error),
  }
}
