import { LatencyQuery, LatencyReport, LatencySummary, LatencySummaryQuery } from '../../trace/latency.ts'
import type { ApiOperation } from '../operation.ts'

export const latencyOperations = {
  getLatencies: {
    method: 'GET',
    path: '/api/latencies',
    summary: 'How long the calls of one connector, server or session took, and what failed last.',
    query: LatencyQuery,
    responses: { 200: { description: 'Percentiles, step by step and in total.', schema: LatencyReport } },
  },
  getLatencySummary: {
    method: 'GET',
    path: '/api/latencies/summary',
    summary: 'The same in short for every connector and every server.',
    query: LatencySummaryQuery,
    responses: { 200: { description: 'One line for each.', schema: LatencySummary } },
  },
} as const satisfies Record<string, ApiOperation>
