import { apiPath } from '@herma/contract/client'
import { useEffect, useSyncExternalStore } from 'react'
import { EventStream } from './event-stream.ts'
import { queryClient } from './query-client.ts'

const fallbackMs = 5000

const catchUpMs = 1500

let isLive = false
let isFirst = true
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

/** Follows the hub's changes while the page is seen, and asks again for what they concern. */
export function useChanges(): void {
  useEffect(() => {
    let stream: EventStream | null = null
    const stop = () => {
      stream?.close()
      stream = null
      setLive(false)
    }
    // A browser opens six connections to a hub for all its tabs together; a hidden one needs none.
    const attend = () => {
      if (document.hidden) stop()
      else stream ??= follow()
    }
    const timer = setInterval(() => {
      if (isLive || document.hidden) return
      void queryClient.invalidateQueries()
      // A refusal, such as of a browser that is signed out, ends the stream for good; all else it repairs.
      if (stream?.isOver) stream = follow()
    }, fallbackMs)
    document.addEventListener('visibilitychange', attend)
    attend()
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', attend)
      stop()
    }
  }, [])
}

function follow(): EventStream {
  return new EventStream(apiPath('followChanges'), {
    onOpen() {
      setLive(true)
      // What happened while nobody listened is not told again. A page that was just opened has asked already: it looks
      // once more when it is drawn, for what changed between its answers and this stream.
      setTimeout(() => void queryClient.invalidateQueries(), isFirst ? catchUpMs : 0)
      isFirst = false
    },
    onEvent(name, data) {
      if (name !== 'change') return
      const { topics } = JSON.parse(data) as { topics: string[] }
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => topics.includes(String(queryKey[0])) })
    },
    onEnd: () => setLive(false),
  })
}

function setLive(next: boolean): void {
  if (isLive === next) return
  isLive = next
  for (const watcher of watchers) watcher()
}
