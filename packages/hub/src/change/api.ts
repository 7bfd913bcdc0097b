import { changeOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { ChangeFeed } from './change-feed.ts'

export function changeApi(feed: ChangeFeed): Route[] {
  return serve(changeOperations, {
    followChanges: () =>
      Reply.stream((stream) =>
        feed.listen({
          hello: () => void stream.send('hello', {}),
          tell: (notice) => stream.send('change', notice),
          end: () => stream.end(),
        }),
      ),
  })
}
