import { changeOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { ChangeFeed } from './change-feed.ts'

/** What the route needs of the changes. */
export type ChangeService = Pick<ChangeFeed, 'listen'>

export function changeApi(feed: ChangeService): Route[] {
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
