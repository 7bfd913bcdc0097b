import { defineRoute, type Route } from '../platform/http/index.ts'
import type { ChangeFeed } from './change-feed.ts'

/** What the route needs of the changes. */
export type ChangeService = Pick<ChangeFeed, 'listen'>

export function changeRoutes(feed: ChangeService): Route[] {
  return [
    defineRoute({
      id: 'followChanges',
      method: 'GET',
      path: '/api/changes',
      summary:
        'Which topics have changed, as it happens: server-sent events hello, then change of the form ChangeNotice.',
      responses: { 200: { description: 'A stream (text/event-stream).' } },
      handle: () => ({
        status: 200,
        stream: (stream) =>
          feed.listen({
            hello: () => void stream.send('hello', {}),
            tell: (notice) => stream.send('change', notice),
            end: () => stream.end(),
          }),
      }),
    }),
  ]
}
