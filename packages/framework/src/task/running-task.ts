import { randomUUID } from 'node:crypto'
import type { InputRequest, InputRequests, Result } from '@modelcontextprotocol/server'
import type { McpError } from '../protocol/errors.ts'
import { isObject } from '../wire/meta.ts'
import type { DetailedTask, TaskStatus } from './task.ts'

interface Waiting {
  resolve(answer: unknown): void
  reject(reason: unknown): void
}

export interface RunningTaskOptions {
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** Whose task it is; undefined without authentication. */
  readonly principal: string | undefined
  /** Told after every change. */
  changed(): void
}

/** A task whose handler runs in this process: its status, its open questions, and the signal that cancels it. */
export class RunningTask {
  readonly id = randomUUID()
  readonly principal: string | undefined
  readonly expiresAtMs: number
  readonly #options: RunningTaskOptions
  readonly #createdAt = new Date().toISOString()
  readonly #abort = new AbortController()
  readonly #questions: InputRequests = {}
  readonly #waiting = new Map<string, Waiting>()
  readonly #usedKeys = new Set<string>()
  #lastUpdatedAt = this.#createdAt
  #status: TaskStatus = 'working'
  #statusMessage: string | undefined
  #outcome: Pick<DetailedTask, 'result' | 'error'> = {}

  constructor(options: RunningTaskOptions) {
    this.#options = options
    this.principal = options.principal
    this.expiresAtMs = Date.now() + options.ttlMs
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isEnded(): boolean {
    return this.#status !== 'working' && this.#status !== 'input_required'
  }

  describe(): DetailedTask {
    const { ttlMs, pollIntervalMs } = this.#options
    return {
      taskId: this.id,
      status: this.#status,
      ...(this.#statusMessage !== undefined && { statusMessage: this.#statusMessage }),
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      ttlMs,
      pollIntervalMs,
      ...(this.#status === 'input_required' && { inputRequests: { ...this.#questions } }),
      ...this.#outcome,
    }
  }

  /** Parks the handler until a client answers, the task is cancelled, or its time is up. */
  ask(key: string, question: InputRequest): Promise<unknown> {
    const unique = this.#uniqueKey(key)
    return new Promise((resolve, reject) => {
      if (this.isEnded) return reject(this.signal.reason)
      this.#waiting.set(unique, { resolve, reject })
      this.#questions[unique] = question
      this.#set('input_required')
    })
  }

  /** Takes answers to open questions. Others are ignored: they may be late or sent twice. */
  answer(answers: Readonly<Record<string, unknown>>): void {
    for (const [key, answer] of Object.entries(answers)) {
      const waiting = this.#waiting.get(key)
      if (waiting === undefined || !isObject(answer)) continue
      this.#waiting.delete(key)
      delete this.#questions[key]
      waiting.resolve(answer)
    }
    if (this.#status === 'input_required' && this.#waiting.size === 0) this.#set('working')
  }

  /** What the handler says of its progress. */
  note(message: string): void {
    if (this.isEnded) return
    this.#statusMessage = message
    this.#set(this.#status)
  }

  cancel(reason: string): void {
    if (this.isEnded) return
    this.#statusMessage = reason
    this.#end('cancelled', {})
    this.#abort.abort(new DOMException(reason, 'AbortError'))
    for (const { reject } of this.#waiting.values()) reject(this.signal.reason)
    this.#waiting.clear()
  }

  complete(result: Result): void {
    this.#end('completed', { result })
  }

  fail({ code, message, data }: McpError): void {
    if (!this.isEnded) this.#statusMessage = message
    this.#end('failed', { error: { code, message, ...(data !== undefined && { data }) } })
  }

  /** The first end counts: a handler that notices its cancellation late changes nothing. */
  #end(status: TaskStatus, outcome: Pick<DetailedTask, 'result' | 'error'>): void {
    if (this.isEnded) return
    this.#outcome = outcome
    this.#set(status)
  }

  #set(status: TaskStatus): void {
    this.#status = status
    this.#lastUpdatedAt = new Date().toISOString()
    this.#options.changed()
  }

  /** A key names one question for as long as the task lives, so that clients never mix up answers. */
  #uniqueKey(key: string): string {
    let unique = key
    for (let count = 2; this.#usedKeys.has(unique); count++) unique = `${key}#${count}`
    this.#usedKeys.add(unique)
    return unique
  }
}
