import { isObject, type RequestId } from '../../../wire/index.ts'

type Json = Record<string, unknown>

/**
 * The questions of the hub that the client has not answered yet. A hub that was restarted numbers its questions from the
 * start again, so they get other ids from then on: a late answer must never reach another question.
 */
export class PendingQuestions {
  readonly #open = new Map<RequestId, RequestId>()
  #run = 0

  /** Takes a message of the hub and returns it as the client shall see it; null when it can go as it is. */
  outward(message: Json): Json | null {
    const { id, method, params } = message
    if (typeof method !== 'string') return null
    if (isId(id)) {
      const clientId = this.#clientId(id)
      this.#open.set(clientId, id)
      return clientId === id ? null : { ...message, id: clientId }
    }
    if (method !== 'notifications/cancelled' || !isObject(params) || !isId(params['requestId'])) return null
    const clientId = this.#clientId(params['requestId'])
    this.#open.delete(clientId)
    return { ...message, params: { ...params, requestId: clientId } }
  }

  /** The hub's own id of a question that the client answers; undefined when nobody waits for that answer. */
  answered(clientId: RequestId): RequestId | undefined {
    const id = this.#open.get(clientId)
    this.#open.delete(clientId)
    return id
  }

  /** Takes a batch of the client and returns it as the hub shall see it; null when it can go as it is. */
  inward(values: readonly unknown[]): unknown[] | null {
    let isChanged = false
    const kept = values.flatMap((value) => {
      if (!isObject(value) || 'method' in value || !isId(value['id'])) return [value]
      const id = this.answered(value['id'])
      isChanged ||= id !== value['id']
      return id === undefined ? [] : [{ ...value, id }]
    })
    return isChanged ? kept : null
  }

  /** Forgets the questions of a hub that is gone and returns the ids that the client knows them by. */
  withdrawAll(): RequestId[] {
    const ids = [...this.#open.keys()]
    this.#open.clear()
    this.#run++
    return ids
  }

  #clientId(id: RequestId): RequestId {
    return this.#run === 0 ? id : `${this.#run}/${id}`
  }
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}
