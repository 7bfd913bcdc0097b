import { useEffect, useSyncExternalStore } from 'react'
import { queryClient } from './query-client.ts'

const path = '/api/changes'
const fallbackMs = 5000

let isLive = false
const watchers = new Set<() => void>()

/** Whether changes are told as they happen. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => isLive,
  )
}

/** Follows the hub's changes while the page is open, and asks again for what they concern. */
export function useChanges(): void {
  useEffect(() => {
    let stream = follow()
    const timer = setInterval(() => {
      if (isLive || document.hidden) return
      void queryClient.invalidateQueries()
      // A refusal, such as of a browser that is signed out, ends the stream for good; all else the browser repairs.
      if (stream.readyState === EventSource.CLOSED) stream = follow()
    }, fallbackMs)
    return () => {
      clearInterval(timer)
      stream.close()
      setLive(false)
    }
  }, [])
}

function follow(): EventSource {
  const stream = new EventSource(path)
  stream.addEventListener('open', () => {
    setLive(true)
    // What happened while nobody listened is not told again.
    void queryClient.invalidateQueries()
  })
  stream.addEventListener('change', (event: MessageEvent<string>) => {
    const { topics } = JSON.parse(event.data) as { topics: string[] }
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => topics.includes(String(queryKey[0])) })
  })
  stream.addEventListener('error', () => setLive(false))
  return stream
}

function setLive(next: boolean): void {
  if (isLive === next) return
  isLive = next
  for (const watcher of watchers) watcher()
}
