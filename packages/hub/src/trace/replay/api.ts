import { replayOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { ReplayService } from './replays.ts'

export function replayApi(replays: ReplayService): Route[] {
  return serve(replayOperations, {
    replayTrace: ({ params: { traceId }, body, principal }) => replays.replay(traceId, body, principal),
  })
}
