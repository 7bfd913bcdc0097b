import { replayOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { Replays } from './replays.ts'

export function replayApi(replays: Replays): Route[] {
  return serve(replayOperations, {
    replayTrace: ({ params: { traceId }, body, principal }) => replays.replay(traceId, body, principal),
  })
}
