import { latencyOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { Latencies, LatencyNames } from './latencies.ts'

export function latencyApi(latencies: Pick<Latencies, 'report' | 'summary'>, namesOf: () => LatencyNames): Route[] {
  return serve(latencyOperations, {
    getLatencies: ({ query }) => latencies.report(query),
    getLatencySummary: ({ query }) => latencies.summary(query.minutes, namesOf()),
  })
}
