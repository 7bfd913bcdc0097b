/** The time of a turn: its signal is aborted when the turn is cancelled, or when its time is up. */
export interface TurnClock {
  readonly signal: AbortSignal
  readonly isTimeUp: boolean
  stop(): void
}

export function startTurnClock(cancel: AbortSignal, timeoutMs: number): TurnClock {
  const controller = new AbortController()
  let isTimeUp = false
  const abort = () => controller.abort(cancel.reason)
  const timer = setTimeout(() => {
    isTimeUp = true
    controller.abort(new Error('The time of the turn is up.'))
  }, timeoutMs)
  if (cancel.aborted) abort()
  else cancel.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    get isTimeUp() {
      return isTimeUp
    },
    stop() {
      clearTimeout(timer)
      cancel.removeEventListener('abort', abort)
    },
  }
}
