import type { HubRun } from './hub-keeper.ts'

interface Waiter {
  readonly isPatient: boolean
  resolve(hub: HubRun): void
  reject(error: Error): void
}

export interface WaitOptions {
  /** Waits through searches that fail. */
  readonly isPatient: boolean
  readonly signal?: AbortSignal | undefined
  readonly limitMs?: number
  /** What to say when that was too long. */
  tooLong?(): Error
}

/** Those who wait for a hub. */
export class HubWaiters {
  readonly #waiters = new Set<Waiter>()

  wait({ isPatient, signal, limitMs, tooLong }: WaitOptions): Promise<HubRun> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        isPatient,
        resolve: (hub) => {
          end()
          resolve(hub)
        },
        reject: (error) => {
          end()
          reject(error)
        },
      }
      const abort = () => waiter.reject(signal!.reason as Error)
      const timer = tooLong === undefined ? undefined : setTimeout(() => waiter.reject(tooLong()), limitMs)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
      if (signal?.aborted === true) abort()
    })
  }

  /** There is a hub. */
  resolve(hub: HubRun): void {
    for (const waiter of this.#waiters) waiter.resolve(hub)
  }

  /** A search has failed, or there will not be another one. */
  reject(error: Error, whom: 'impatient' | 'everybody'): void {
    for (const waiter of this.#waiters) if (whom === 'everybody' || !waiter.isPatient) waiter.reject(error)
  }
}
