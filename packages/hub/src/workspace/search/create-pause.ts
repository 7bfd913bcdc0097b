/** How long one turn may take. */
const turnMs = 5

/**
 * For work that takes long on the thread where everybody else waits: what this returns is awaited often, and most times
 * there is nothing to wait for. Throws the reason of the signal.
 */
export function createPause(signal: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal.throwIfAborted()
    if (performance.now() - since < turnMs) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now()
        resolve()
      })
    })
  }
}
