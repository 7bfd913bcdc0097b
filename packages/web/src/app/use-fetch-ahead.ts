import { useEffect } from 'react'

const restMs = 1000

/**
 * Fetches what the first page leaves out while nobody waits for it: the next one is there at once, and the pages go on
 * while the hub is away.
 */
export function useFetchAhead(): void {
  useEffect(() => {
    const timer = setTimeout(
      () => void Promise.allSettled([import('./pages.ts'), import('./palette.tsx'), import('./key-help.tsx')]),
      restMs,
    )
    return () => clearTimeout(timer)
  }, [])
}
