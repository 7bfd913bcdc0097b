import { LatencyQuery, LatencyReport, LatencySummary, LatencySummaryQuery } from '@herma/contract'
import { defineRoute, type Route } from '../platform/http/index.ts'
import type { LatencyDesk } from './latency-desk.ts'

export function latencyRoutes(desk: Pick<LatencyDesk, 'report' | 'summary'>): Route[] {
  return [
    defineRoute({
      id: 'getLatencies',
      method: 'GET',
      path: '/api/latencies',
      summary: 'How long the calls of one connector, server or session took, and what failed last.',
      query: LatencyQuery,
      responses: { 200: { description: 'Percentiles, step by step and in total.', schema: LatencyReport } },
      handle: async ({ query }) => ({ status: 200, body: await desk.report(query) }),
    }),
    defineRoute({
      id: 'getLatencySummary',
      method: 'GET',
      path: '/api/latencies/summary',
      summary: 'The same in short for every connector and every server.',
      query: LatencySummaryQuery,
      responses: { 200: { description: 'One line for each.', schema: LatencySummary } },
      handle: async ({ query }) => ({ status: 200, body: await desk.summary(query.minutes) }),
    }),
  ]
}
