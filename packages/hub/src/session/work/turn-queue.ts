import { HubError } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'

interface Lane {
  running: number
  limit: number
  readonly waiting: Set<Waiter>
}

interface Waiter {
  start(): void
}

export interface TurnWish {
  readonly id: string
  /** For people. */
  readonly name: string
  readonly limit: number
  readonly signal: AbortSignal
  /** Told when it has to wait. */
  onWait?(before: number): void
}

const maxWaiting = 200

/** Lets as many turns of a session run at once as it allows; the others wait in the order in which they came. */
export class TurnQueue {
  readonly #lanes = new Map<string, Lane>()
  readonly metrics: readonly Metric[] = [
    {
      name: 'session_turns_running',
      help: 'Turns under way.',
      kind: 'gauge',
      read: () => this.#sum((lane) => lane.running),
    },
    {
      name: 'session_turns_waiting',
      help: 'Turns that wait for others of their session.',
      kind: 'gauge',
      read: () => this.#sum((lane) => lane.waiting.size),
    },
  ]

  running(id: string): number {
    return this.#lanes.get(id)?.running ?? 0
  }

  /** Resolves to the function that ends the turn. Rejects with the reason of the signal, at once. */
  async enter({ id, name, limit, signal, onWait }: TurnWish): Promise<() => void> {
    signal.throwIfAborted()
    const lane = this.#lanes.get(id) ?? { running: 0, limit, waiting: new Set<Waiter>() }
    this.#lanes.set(id, lane)
    lane.limit = limit
    this.#startNext(lane)
    if (lane.running < limit) return this.#start(id, lane)
    if (lane.waiting.size >= maxWaiting) {
      const text = `${maxWaiting} calls wait for '${name}' already. Try again later, or raise its limit of turns at once.`
      throw new HubError('QUEUE_FULL', text)
    }
    onWait?.(lane.waiting.size)
    return await this.#wait(id, lane, signal)
  }

  #wait(id: string, lane: Lane, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        lane.waiting.delete(waiter)
        this.#forget(id, lane)
        reject(signal.reason as Error)
      }
      const waiter: Waiter = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#start(id, lane))
        },
      }
      lane.waiting.add(waiter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #start(id: string, lane: Lane): () => void {
    lane.running++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      lane.running--
      this.#startNext(lane)
      this.#forget(id, lane)
    }
  }

  #startNext(lane: Lane): void {
    for (const waiter of lane.waiting) {
      if (lane.running >= lane.limit) return
      lane.waiting.delete(waiter)
      waiter.start()
    }
  }

  #forget(id: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) this.#lanes.delete(id)
  }

  #sum(read: (lane: Lane) => number): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + read(lane), 0)
  }
}
