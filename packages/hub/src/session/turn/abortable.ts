/** The outcome of a promise, or the reason of the signal in the tick in which it is aborted. */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        resolve(value)
      },
      (error: Error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}
