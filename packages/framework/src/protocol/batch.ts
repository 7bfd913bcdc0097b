import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { isRequest } from './message.ts'

/** Only this revision has batches; it takes and answers them as one array. */
export const batchVersion = '2025-03-26'

export const maxBatchSize = 100

/** Gathers the answers to a batch, so that they leave as one. */
export class Batch {
  readonly #awaited = new Set<RequestId>()
  readonly #answers: JSONRPCMessage[] = []
  readonly #finish: (answers: readonly JSONRPCMessage[]) => void
  #isHandedOver = false

  /** `finish` is called once, with nothing when the batch had no requests, and not before `handedOver`. */
  constructor(messages: readonly JSONRPCMessage[], finish: (answers: readonly JSONRPCMessage[]) => void) {
    this.#finish = finish
    for (const message of messages) if (isRequest(message)) this.#awaited.add(message.id)
  }

  /** All of its messages are on their way. */
  handedOver(): void {
    this.#isHandedOver = true
    this.#settle()
  }

  /** True when the message answers one of the batch's requests and was kept. */
  take(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined || !this.#awaited.delete(message.id)) return false
    this.#answers.push(message)
    this.#settle()
    return true
  }

  /** A cancelled request is not waited for. */
  drop(id: RequestId): void {
    if (this.#awaited.delete(id)) this.#settle()
  }

  #settle(): void {
    if (this.#isHandedOver && this.#awaited.size === 0) this.#finish(this.#answers)
  }
}
