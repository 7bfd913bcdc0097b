import { HubError, type Principal } from '@herma/contract'
import type { StoredSession } from '../store.ts'
import type { ThreadStore } from '../thread/store.ts'
import type { TurnMessage } from '../turn/types.ts'
import type { WorkResult } from '../work/types.ts'
import { readResponseId, toResponseId } from './response-id.ts'
import type { ResponsesBody } from './responses-request.ts'

interface RegistryOptions {
  readonly store: ThreadStore
  /** Without the secrets that the hub knows: what is kept may be read for long. */
  redact<T>(value: T): T
}

interface Asker {
  readonly session: StoredSession
  readonly principal: Principal
}

/** A response that is being made. */
export interface OpenResponse {
  readonly id: string
  /** What was said before, of the response that it goes on from. */
  readonly before: readonly TurnMessage[]
  /** Null when nothing of it is kept. */
  readonly thread: string | null
  keep(said: readonly TurnMessage[], result: WorkResult, traceId: string): Promise<void>
  /** To be called at the end, however it ends. */
  close(): Promise<void>
}

/** A talk that is longer would not fit any model. */
const maxMessages = 5000

/**
 * Responses that clients go on from, kept as threads of their principal. The newest response of a thread is continued
 * in it; from an older one, or one that somebody else goes on from right now, a thread of its own is begun.
 */
export class Responses {
  readonly #parts: RegistryOptions
  readonly #busy = new Set<string>()

  constructor(parts: RegistryOptions) {
    this.#parts = parts
  }

  async open(asker: Asker, { previous_response_id: previous, store }: ResponsesBody): Promise<OpenResponse> {
    const last = previous == null ? null : await this.#find(asker, previous)
    const before = last?.messages ?? []
    if (store === false) return { ...unkept, id: toResponseId(null), before }
    const goesOn = last !== null && last.isNewest && !this.#busy.has(last.thread)
    const thread = goesOn ? last.thread : await this.#begin(asker)
    this.#busy.add(thread)
    return this.#opened({ thread, before, isNew: !goesOn })
  }

  async #begin({ session, principal }: Asker): Promise<string> {
    return (await this.#parts.store.add(session.id, principal.id, '')).id
  }

  #opened({ thread, before, isNew }: { thread: string; before: readonly TurnMessage[]; isNew: boolean }): OpenResponse {
    const { store, redact } = this.#parts
    let isKept = false
    return {
      id: toResponseId({ thread, before: before.length }),
      before,
      thread,
      async keep(said, { messages, usage, costUsd }, traceId) {
        const copied = isNew ? before : []
        const turn = { messages: redact([...copied, ...said, ...messages]), traceId, usage, costUsd }
        await store.keep(thread, { ...turn, title: redact(toTitle(said)) })
        isKept = true
      },
      close: async () => {
        this.#busy.delete(thread)
        if (isNew && !isKept) await store.remove(thread)
      },
    }
  }

  /** A response of somebody else answers exactly like one that is not there. */
  async #find({ session, principal }: Asker, id: string) {
    const place = readResponseId(id)
    const thread = place === null ? undefined : await this.#parts.store.find(session.id, place.thread)
    if (place === null || thread === undefined || thread.principal !== principal.id) throw notFound(id)
    const [kept, messages] = await Promise.all([
      this.#parts.store.messages(thread.id),
      this.#parts.store.history(thread.id),
    ])
    const first = kept[place.before]
    if (first === undefined) throw notFound(id)
    // The messages of a turn are kept all at once.
    const next = kept.findIndex(({ at }, index) => index > place.before && at !== first.at)
    const end = next < 0 ? kept.length : next
    if (end >= maxMessages) {
      const text = `The talk has ${maxMessages} messages, the limit. Begin a new one without previous_response_id.`
      throw new HubError('INVALID_PARAMS', text, { data: { param: 'previous_response_id' } })
    }
    return { thread: thread.id, messages: messages.slice(0, end), isNewest: next < 0 }
  }
}

const unkept = { thread: null, keep: async () => undefined, close: async () => undefined }

function notFound(id: string): HubError {
  const text = `There is no response ${JSON.stringify(id)} of yours at this session. It may have been made with store: false, or be gone.`
  return new HubError('THREAD_NOT_FOUND', text, { data: { param: 'previous_response_id' } })
}

function toTitle(said: readonly TurnMessage[]): string {
  const texts = said.flatMap(({ role, parts }) => (role === 'user' ? parts : []))
  const text = texts.find((part) => part.type === 'text')?.text ?? ''
  const line = text.trim().split('\n', 1)[0]!
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
