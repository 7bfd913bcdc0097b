import type { EventFilter } from '@herma/contract'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { CallFeed, type CallFeedView } from './call-feed.ts'

/** The events that match, live while the page is open. */
export function useCallFeed(filter: EventFilter): { feed: CallFeed; view: CallFeedView } {
  // The same filter in another object is no reason to begin anew.
  const key = JSON.stringify(filter)
  const feed = useMemo(() => new CallFeed(JSON.parse(key) as EventFilter), [key])
  useEffect(() => {
    feed.start()
    return () => feed.stop()
  }, [feed])
  return { feed, view: useSyncExternalStore(feed.watch, feed.view) }
}
