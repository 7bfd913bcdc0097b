import { HubError } from '@herma/contract/plain'

import type { Era, RequestId, RequestMessage } from '../../../wire/index.ts'

/** Requests of the client that are not answered yet: one, or those of a batch. */
export interface OpenRequest {
  /** Null for a batch. */
  readonly message: RequestMessage | null
  readonly era: Era
  /** The ids that are not answered yet. */
  readonly ids: Set<RequestId>
  /** The bytes to send; null once they cannot be needed again. */
  line: Buffer | null
  /** Aborted when the client cancels or leaves. */
  readonly closing: AbortController
  readonly openedAt: number
  /** `waiting` for a hub, `sent` to it, or `heard` of since. */
  stage: 'waiting' | 'sent' | 'heard'
}

const maxOpen = 1000
/** Beyond these, standard input is not read. Nothing that waits depends on what the client writes next. */
const maxWaiting = 64
const maxHeldBytes = 32 * 1024 * 1024
/** Longer lines are not kept for a repetition. */
const repeatableBytes = 64 * 1024

export class RequestTable {
  readonly #requests = new Map<RequestId, OpenRequest>()
  readonly #onFlow: () => void
  #waiting = 0
  #heldBytes = 0

  /** `onFlow` is told when the client may write again. */
  constructor(onFlow: () => void) {
    this.#onFlow = onFlow
  }

  get size(): number {
    return this.#requests.size
  }

  get isFull(): boolean {
    return this.#waiting >= maxWaiting || this.#heldBytes >= maxHeldBytes
  }

  get(id: RequestId): OpenRequest | undefined {
    return this.#requests.get(id)
  }

  [Symbol.iterator](): IterableIterator<OpenRequest> {
    return new Set(this.#requests.values()).values()
  }

  /** Throws when there is no room, or when an id is in use. */
  open(request: Pick<OpenRequest, 'message' | 'era' | 'line'>, ids: readonly RequestId[]): OpenRequest {
    const used = ids.find((id) => this.#requests.has(id))
    if (used !== undefined) {
      throw new HubError('INVALID_REQUEST', `The id ${JSON.stringify(used)} is in use by a request under way.`)
    }
    if (this.#requests.size + ids.length > maxOpen) {
      throw new HubError('OVERLOADED', `There are ${maxOpen} requests under way, the limit. Wait for some of them.`)
    }
    const open: OpenRequest = {
      ...request,
      ids: new Set(ids),
      closing: new AbortController(),
      openedAt: performance.now(),
      stage: 'waiting',
    }
    for (const id of ids) this.#requests.set(id, open)
    this.#waiting++
    this.#heldBytes += open.line!.length
    return open
  }

  /** Says how far a request has come. One that is sent again starts over. */
  move(open: OpenRequest, stage: OpenRequest['stage']): void {
    if (open.stage === stage) return
    if (open.stage === 'waiting') this.#waiting--
    if (stage === 'waiting') this.#waiting++
    const bytes = open.line?.length ?? 0
    if (stage === 'heard') this.#heldBytes -= bytes
    else if (open.stage === 'heard') this.#heldBytes += bytes
    open.stage = stage
    if (stage === 'heard' && bytes > repeatableBytes) open.line = null
    this.#onFlow()
  }

  close(open: OpenRequest, ids: readonly RequestId[]): void {
    this.move(open, 'heard')
    for (const id of ids) this.#requests.delete(id)
  }
}
