import type { JSONObject, Result } from '@modelcontextprotocol/server'
import { DeadlineExceeded } from '../context/deadline.ts'
import type { RequestContext } from '../host/request-context.ts'
import { errorCode, McpError } from '../protocol/errors.ts'
import type { Host } from '../host/host.ts'
import { RunningTask } from './running-task.ts'
import { isEnded, type DetailedTask } from './task.ts'
import { taskContext } from './task-context.ts'
import type { TaskRecord, TaskStore } from './task-store.ts'

export interface TaskRunnerOptions {
  readonly ttlMs: number
  readonly pollIntervalMs: number
  readonly maxTasks: number
  /** Whether other processes see the same store. */
  readonly isShared: boolean
}

const taskIdRule = /^[0-9a-f-]{36}$/

/** The tasks of a server: started, asked after, answered, cancelled, and forgotten when their time is up. */
export class TaskRunner {
  readonly #host: Host
  readonly #store: TaskStore
  readonly #options: TaskRunnerOptions
  readonly #running = new Map<string, RunningTask>()
  readonly #saving = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(host: Host, store: TaskStore, options: TaskRunnerOptions) {
    this.#host = host
    this.#store = store
    this.#options = options
  }

  /** Runs `run` as a task. Resolves with the result that names the task, once clients can poll it. */
  async start(context: RequestContext, run: (context: RequestContext) => Promise<Result>): Promise<Result> {
    const { ttlMs, pollIntervalMs, maxTasks } = this.#options
    if (this.#running.size >= maxTasks) {
      throw new McpError(errorCode.internal, `${maxTasks} tasks are running already. Try again when one has ended.`)
    }
    const principal = context.principal?.id
    const task = new RunningTask({ ttlMs, pollIntervalMs, principal, changed: () => this.#changed(task) })
    this.#running.set(task.id, task)
    const created = task.describe()
    try {
      await this.#save(task)
    } catch (error) {
      this.#running.delete(task.id)
      throw error
    }
    setTimeout(() => this.#expire(task), ttlMs).unref()
    if (this.#options.isShared) this.#watch()
    void this.#run(task, taskContext(context, task), run)
    return { resultType: 'task', ...created }
  }

  async get(taskId: string, principal: string | undefined): Promise<DetailedTask> {
    const { record } = await this.#find(taskId, principal)
    return record.task
  }

  async answer(taskId: string, answers: Record<string, unknown>, principal: string | undefined): Promise<void> {
    const { task, record } = await this.#find(taskId, principal)
    if (task !== undefined) return task.answer(answers)
    if (isEnded(record.task)) return
    const merge = (known: JSONObject) => ({ ...known, ...(answers as JSONObject) })
    await this.#store.post(taskId, (inbox) => ({ ...inbox, answers: merge(inbox.answers) }), record.task.ttlMs)
  }

  async cancel(taskId: string, principal: string | undefined): Promise<void> {
    const { task, record } = await this.#find(taskId, principal)
    if (task !== undefined) return task.cancel('The client cancelled the task.')
    if (isEnded(record.task)) return
    await this.#store.post(taskId, (inbox) => ({ ...inbox, isCancelled: true }), record.task.ttlMs)
  }

  async #find(taskId: string, principal: string | undefined): Promise<{ task?: RunningTask; record: TaskRecord }> {
    const task = this.#running.get(taskId)
    const record =
      task !== undefined ? this.#recordOf(task) : taskIdRule.test(taskId) ? await this.#store.load(taskId) : undefined
    // Somebody else's task answers exactly like a missing one, so that nobody can probe for it.
    if (record === undefined || record.principal !== (principal ?? null)) {
      throw new McpError(errorCode.invalidParams, `There is no task '${taskId}', or its time is up.`)
    }
    if (task !== undefined) return { task, record }
    return { record: isEnded(record.task) || record.aliveUntil > Date.now() ? record : orphaned(record) }
  }

  async #run(
    task: RunningTask,
    context: RequestContext,
    run: (context: RequestContext) => Promise<Result>,
  ): Promise<void> {
    try {
      const result = await new Promise<Result>((resolve, reject) => {
        // Only the tool's own timeout applies: the server's is for clients that wait.
        context.deadline.start(0, reject)
        run(context).then(resolve, reject)
      })
      task.complete(result)
    } catch (error) {
      if (task.isEnded) return
      if (error instanceof DeadlineExceeded) {
        task.complete({ content: [{ type: 'text', text: `'${context.target}': ${error.message}` }], isError: true })
      } else task.fail(error instanceof McpError ? error : this.#host.mask(error))
    } finally {
      context.deadline.stop()
    }
  }

  #changed(task: RunningTask): void {
    if (!this.#running.has(task.id)) return
    this.#save(task).then(
      () => {
        if (task.isEnded) this.#running.delete(task.id)
      },
      // The task stays in memory until it expires; only other processes cannot see it.
      (error: unknown) => this.#host.report(error),
    )
  }

  /** One save after the other, so that an older one never wins. */
  #save(task: RunningTask): Promise<void> {
    const before = this.#saving.get(task.id) ?? Promise.resolve()
    const saved = before.catch(() => {}).then(() => this.#store.save(this.#recordOf(task), remainingMs(task)))
    this.#saving.set(task.id, saved)
    const forget = () => {
      if (this.#saving.get(task.id) === saved) this.#saving.delete(task.id)
    }
    saved.then(forget, forget)
    return saved
  }

  #recordOf(task: RunningTask): TaskRecord {
    // After three missed polls the process counts as gone.
    const aliveUntil = this.#options.isShared ? Date.now() + 3 * this.#watchMs : task.expiresAtMs
    return { principal: task.principal ?? null, task: task.describe(), aliveUntil }
  }

  #expire(task: RunningTask): void {
    task.cancel('The time of the task is up.')
    this.#running.delete(task.id)
  }

  get #watchMs(): number {
    return Math.max(1000, this.#options.pollIntervalMs)
  }

  /** While tasks run, polls for what other processes received for them and renews `aliveUntil`. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      Promise.all([...this.#running.values()].map((task) => this.#fetch(task)))
        .catch((error: unknown) => this.#host.report(error))
        .finally(() => {
          if (this.#running.size > 0) this.#watch()
        })
    }, this.#watchMs).unref()
  }

  async #fetch(task: RunningTask): Promise<void> {
    const inbox = await this.#store.readInbox(task.id)
    if (inbox !== undefined) task.answer(inbox.answers)
    if (inbox?.isCancelled === true) task.cancel('The client cancelled the task.')
    if (!task.isEnded) await this.#save(task)
  }
}

function remainingMs(task: RunningTask): number {
  return Math.max(1, task.expiresAtMs - Date.now())
}

/** The process that ran it is gone, and its handler with it. */
function orphaned(record: TaskRecord): TaskRecord {
  const message = 'The process that ran this task is gone. Call the tool again.'
  const { inputRequests: _, ...task } = record.task
  return {
    ...record,
    task: { ...task, status: 'failed', statusMessage: message, error: { code: errorCode.internal, message } },
  }
}
