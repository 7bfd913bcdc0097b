/** Runs what it is given, at most so many at once; the others wait in order. */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // The place goes straight to the next, so that nobody who comes later slips in.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
