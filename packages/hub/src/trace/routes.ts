import {
  CapturePatch,
  CaptureView,
  EventFilter,
  EventPage,
  EventQuery,
  EventView,
  Trace,
  TraceFormat,
  TraceId,
  TraceSettings,
  TraceSettingsPatch,
  TraceStats,
} from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type ApiAnswer, type Route } from '../platform/http/index.ts'
import type { CaptureBook } from './capture/capture-book.ts'
import type { LatencyDesk } from './latency-desk.ts'
import { latencyRoutes } from './latency-routes.ts'
import type { ReplayService } from './replay-desk.ts'
import { replayRoutes } from './replay-routes.ts'
import type { TraceSettingBook } from './setting/trace-setting-book.ts'
import type { TraceDesk } from './trace-desk.ts'

/** What the routes need of the recorded events. */
export interface TraceService {
  readonly desk: Pick<TraceDesk, 'find' | 'audit' | 'recent' | 'trace' | 'exportTrace' | 'exportFound' | 'listen'>
  readonly captures: Pick<CaptureBook, 'list' | 'change'>
  readonly settings: Pick<TraceSettingBook, 'view' | 'change'>
  readonly latencies: Pick<LatencyDesk, 'report' | 'summary'>
  stats(): TraceStats
}

export function traceRoutes(service: TraceService, replays: ReplayService): Route[] {
  const { latencies } = service
  return [
    ...eventRoutes(service),
    ...settingRoutes(service),
    ...latencyRoutes(latencies),
    ...oneTraceRoutes(service),
    ...replayRoutes(replays),
  ]
}

const page = { 200: { description: 'A page of events.', schema: EventPage } }
const format = TraceFormat.default('json').describe('json is the canonical form; the others are made from it.')
const file = { 200: { description: 'A file.' } }

function eventRoutes({ desk }: TraceService): Route[] {
  return [
    defineRoute({
      id: 'listEvents',
      method: 'GET',
      path: '/api/events',
      summary: 'What happened last, newest first.',
      query: z.object({
        connector: z.string().optional().describe('Only events of this connector.'),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
      }),
      responses: { 200: { description: 'The events.', schema: z.object({ events: z.array(EventView) }) } },
      handle: async ({ query }) => ({ status: 200, body: { events: await desk.recent(query) } }),
    }),
    defineRoute({
      id: 'listTraces',
      method: 'GET',
      path: '/api/traces',
      summary: 'Events that match, newest first.',
      query: EventQuery,
      responses: page,
      handle: async ({ query }) => ({ status: 200, body: await desk.find(query) }),
    }),
    defineRoute({
      id: 'listAudit',
      method: 'GET',
      path: '/api/audit',
      summary: 'The audit log, newest first: changes, sign-ins, refusals.',
      query: EventQuery,
      responses: page,
      handle: async ({ query }) => ({ status: 200, body: await desk.audit(query) }),
    }),
    defineRoute({
      id: 'tailTraces',
      method: 'GET',
      path: '/api/traces/tail',
      summary: 'Events that match, as they happen: server-sent events named event and skipped.',
      query: EventFilter,
      responses: { 200: { description: 'A stream (text/event-stream).' } },
      handle: ({ query }) => ({ status: 200, stream: (stream) => desk.listen(query, showOn(stream)) }),
    }),
    defineRoute({
      id: 'downloadTraces',
      method: 'GET',
      path: '/api/traces/download',
      summary: 'The newest events that match, up to 10,000, oldest first, as a file.',
      query: EventFilter.extend({ format }),
      responses: file,
      handle: async ({ query: { format: wanted, ...filter } }) => download(await desk.exportFound(filter, wanted)),
    }),
  ]
}

/** They come last: their paths would match those of the others too. */
function oneTraceRoutes({ desk }: TraceService): Route[] {
  const params = z.object({ traceId: TraceId })
  return [
    defineRoute({
      id: 'getTrace',
      method: 'GET',
      path: '/api/traces/:traceId',
      summary: 'All events of one trace, oldest first.',
      params,
      responses: { 200: { description: 'The trace.', schema: Trace } },
      handle: async ({ params: { traceId } }) => ({ status: 200, body: await desk.trace(traceId) }),
    }),
    defineRoute({
      id: 'downloadTrace',
      method: 'GET',
      path: '/api/traces/:traceId/download',
      summary: 'One trace as a file.',
      params,
      query: z.object({ format }),
      responses: file,
      handle: async ({ params: { traceId }, query }) => download(await desk.exportTrace(traceId, query.format)),
    }),
  ]
}

function settingRoutes({ captures, settings, stats }: TraceService): Route[] {
  const settingsAnswer = { 200: { description: 'The settings.', schema: TraceSettings } }
  return [
    defineRoute({
      id: 'getTraceStats',
      method: 'GET',
      path: '/api/traces/stats',
      summary: 'How recording is doing: written, dropped, kept.',
      responses: { 200: { description: 'The figures.', schema: TraceStats } },
      handle: () => ({ status: 200, body: stats() }),
    }),
    defineRoute({
      id: 'getTraceSettings',
      method: 'GET',
      path: '/api/traces/settings',
      summary: 'How long events are kept and where spans are sent.',
      responses: settingsAnswer,
      handle: () => ({ status: 200, body: settings.view() }),
    }),
    defineRoute({
      id: 'changeTraceSettings',
      method: 'PATCH',
      path: '/api/traces/settings',
      summary: 'Changes some of these settings.',
      body: TraceSettingsPatch,
      responses: settingsAnswer,
      handle: async ({ body }) => ({ status: 200, body: await settings.change(body) }),
    }),
    defineRoute({
      id: 'listCaptures',
      method: 'GET',
      path: '/api/traces/capture',
      summary: 'What is recorded of the traffic of each served server.',
      responses: { 200: { description: 'One per server.', schema: z.object({ captures: z.array(CaptureView) }) } },
      handle: () => ({ status: 200, body: { captures: captures.list() } }),
    }),
    defineRoute({
      id: 'changeCapture',
      method: 'PATCH',
      path: '/api/traces/capture/:server',
      summary: 'Changes what is recorded of one server, from its next request on.',
      params: z.object({ server: z.string() }),
      body: CapturePatch,
      responses: { 200: { description: 'What is recorded now.', schema: CaptureView } },
      handle: async ({ params, body }) => ({ status: 200, body: await captures.change(params.server, body) }),
    }),
  ]
}

function showOn(stream: { send(name: string, data: unknown): boolean }) {
  return {
    show: (event: EventView) => stream.send('event', event),
    showSkipped: (count: number) => void stream.send('skipped', { count }),
  }
}

function download(exported: { name: string; type: string; text: string }): ApiAnswer {
  return { status: 200, file: exported }
}
