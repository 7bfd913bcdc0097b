import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { CallFeed, type CallFeedView } from './call-feed.ts'

/** The events that match, live while the page is open. */
export function useCallFeed(query: string): { feed: CallFeed; view: CallFeedView } {
  const feed = useMemo(() => new CallFeed(new URLSearchParams(query)), [query])
  useEffect(() => {
    feed.start()
    return () => feed.stop()
  }, [feed])
  return { feed, view: useSyncExternalStore(feed.watch, feed.view) }
}
