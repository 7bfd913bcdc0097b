import type { JSONObject, JSONValue } from '@modelcontextprotocol/server'
import { StaleRevision } from '../protocol/errors.ts'
import type { Store } from '../store/store.ts'
import type { DetailedTask } from './task.ts'

/** What is kept of a task, so that it outlives its handler and other processes can answer for it. */
export interface TaskRecord {
  readonly principal: string | null
  readonly task: DetailedTask
  /** Until when the process that runs it is believed to live; milliseconds since 1970. */
  readonly aliveUntil: number
}

/** What reached another process than the one that runs the task. */
export interface Inbox {
  readonly answers: JSONObject
  readonly isCancelled: boolean
}

const maxTries = 5

/** The tasks of a server in a store. */
export class TaskStore {
  readonly #store: Store
  readonly #server: string

  constructor(store: Store, server: string) {
    this.#store = store
    this.#server = server
  }

  async save(record: TaskRecord, ttlMs: number): Promise<void> {
    await this.#store.save(this.#key(record.task.taskId), record as unknown as JSONValue, { ttlMs })
  }

  async load(taskId: string): Promise<TaskRecord | undefined> {
    const stored = await this.#store.load(this.#key(taskId))
    return stored?.value as unknown as TaskRecord | undefined
  }

  /** Leaves something for the process that runs the task. */
  async post(taskId: string, change: (inbox: Inbox) => Inbox, ttlMs: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const stored = await this.#store.load(this.#inboxKey(taskId))
      const inbox = (stored?.value ?? { answers: {}, isCancelled: false }) as unknown as Inbox
      try {
        const ifRevision = stored?.revision ?? 0
        await this.#store.save(this.#inboxKey(taskId), change(inbox) as unknown as JSONValue, { ttlMs, ifRevision })
        return
      } catch (error) {
        if (!(error instanceof StaleRevision) || tries >= maxTries) throw error
      }
    }
  }

  async readInbox(taskId: string): Promise<Inbox | undefined> {
    return (await this.#store.load(this.#inboxKey(taskId)))?.value as unknown as Inbox | undefined
  }

  #key(taskId: string): string {
    return `task:${this.#server}:${taskId}`
  }

  #inboxKey(taskId: string): string {
    return `${this.#key(taskId)}:inbox`
  }
}
