import type { Clock } from './clock.ts'

/** Registers what a promise competes with; returns the function that withdraws it. */
export type Rival = (win: () => void) => () => void

/**
 * True when the promise resolved before its rival won; rejects when it rejected before.
 * Unlike `Promise.race`, it leaves nothing behind on a rival that lives longer.
 */
export function isFirst(promise: Promise<unknown>, rival: Rival): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const withdraw = rival(() => resolve(false))
    promise.then(
      () => {
        withdraw()
        resolve(true)
      },
      (error: unknown) => {
        withdraw()
        reject(error)
      },
    )
  })
}

export function aborted(signal: AbortSignal): Rival {
  return (win) => {
    if (signal.aborted) win()
    signal.addEventListener('abort', win, { once: true })
    return () => signal.removeEventListener('abort', win)
  }
}

export function timeUp(clock: Clock, ms: number): Rival {
  return (win) => (ms === Number.POSITIVE_INFINITY ? () => undefined : clock.after(ms, win))
}
