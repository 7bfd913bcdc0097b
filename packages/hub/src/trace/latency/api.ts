import { latencyOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { Latencies } from './latencies.ts'

export function latencyApi(desk: Pick<Latencies, 'report' | 'summary'>): Route[] {
  return serve(latencyOperations, {
    getLatencies: ({ query }) => desk.report(query),
    getLatencySummary: ({ query }) => desk.summary(query.minutes),
  })
}
