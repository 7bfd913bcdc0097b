import { useSyncExternalStore } from 'react'

/** Whether a media query such as `(min-width: 64rem)` holds now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (watcher) => {
      const media = matchMedia(query)
      media.addEventListener('change', watcher)
      return () => media.removeEventListener('change', watcher)
    },
    () => matchMedia(query).matches,
  )
}
