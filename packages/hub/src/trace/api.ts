import type { EventView, TraceStats } from '@herma/contract'
import { traceOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { Captures } from './capture/captures.ts'
import type { Latencies } from './latency/latencies.ts'
import type { TraceSettingsRegistry } from './setting/trace-settings-registry.ts'
import type { Traces } from './traces.ts'

/** What management sees of the recorded events. */
export interface TraceManagement {
  readonly traces: Pick<Traces, 'find' | 'audit' | 'recent' | 'trace' | 'exportTrace' | 'exportFound' | 'listen'>
  readonly captures: Pick<Captures, 'list' | 'change'>
  readonly settings: Pick<TraceSettingsRegistry, 'view' | 'change'>
  readonly latencies: Pick<Latencies, 'report' | 'summary'>
  stats(): TraceStats
}

export function traceApi({ traces, captures, settings, stats }: TraceManagement): Route[] {
  return serve(traceOperations, {
    listEvents: async ({ query }) => ({ events: await traces.recent(query) }),
    listTraces: ({ query }) => traces.find(query),
    listAudit: ({ query }) => traces.audit(query),
    tailTraces: ({ query }) => Reply.stream((stream) => traces.listen(query, showOn(stream))),
    downloadTraces: async ({ query: { format: wanted, ...filter } }) =>
      download(await traces.exportFound(filter, wanted)),
    getTrace: ({ params: { traceId } }) => traces.trace(traceId),
    downloadTrace: async ({ params: { traceId }, query }) => download(await traces.exportTrace(traceId, query.format)),
    getTraceStats: () => stats(),
    getTraceSettings: () => settings.view(),
    changeTraceSettings: ({ body }) => settings.change(body),
    listCaptures: () => ({ captures: captures.list() }),
    changeCapture: ({ params, body }) => captures.change(params.server, body),
  })
}

function showOn(stream: { send(name: string, data: unknown): boolean }) {
  return {
    show: (event: EventView) => stream.send('event', event),
    showSkipped: (count: number) => void stream.send('skipped', { count }),
  }
}

function download(file: { name: string; type: string; text: string }): Reply {
  return new Reply(undefined, { file })
}
