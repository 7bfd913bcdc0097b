import { z } from 'zod'

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
} from '../../trace/trace.ts'
import type { ApiOperation } from '../operation.ts'

const page = { 200: { description: 'A page of events.', schema: EventPage } }
const format = TraceFormat.default('json').describe('json is the canonical form; the others are made from it.')
const file = { 200: { description: 'A file.' } }
const params = z.object({ traceId: TraceId })
const settingsAnswer = { 200: { description: 'The settings.', schema: TraceSettings } }

export const traceOperations = {
  listEvents: {
    method: 'GET',
    path: '/api/events',
    role: 'admin',
    summary: 'What happened last, newest first.',
    query: z.object({
      connector: z.string().optional().describe('Only events of this connector.'),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
    responses: { 200: { description: 'The events.', schema: z.object({ events: z.array(EventView) }) } },
  },
  listTraces: {
    method: 'GET',
    path: '/api/traces',
    role: 'admin',
    summary: 'Events that match, newest first.',
    query: EventQuery,
    responses: page,
    errors: ['SEARCH_TOO_LONG'],
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    role: 'admin',
    summary: 'The audit log, newest first: changes, sign-ins, refusals.',
    query: EventQuery,
    responses: page,
  },
  tailTraces: {
    method: 'GET',
    path: '/api/traces/tail',
    role: 'admin',
    summary: 'Events that match, as they happen: server-sent events named event and skipped.',
    query: EventFilter,
    responses: { 200: { description: 'A stream (text/event-stream).' } },
  },
  downloadTraces: {
    method: 'GET',
    path: '/api/traces/download',
    role: 'admin',
    summary: 'The newest events that match, up to 10,000, oldest first, as a file.',
    query: EventFilter.extend({ format }),
    responses: file,
  },
  getTrace: {
    method: 'GET',
    path: '/api/traces/:traceId',
    role: 'admin',
    summary: 'All events of one trace, oldest first.',
    params,
    responses: { 200: { description: 'The trace.', schema: Trace } },
    errors: ['TRACE_NOT_FOUND'],
  },
  downloadTrace: {
    method: 'GET',
    path: '/api/traces/:traceId/download',
    role: 'admin',
    summary: 'One trace as a file.',
    params,
    query: z.object({ format }),
    responses: file,
    errors: ['TRACE_NOT_FOUND'],
  },
  getTraceStats: {
    method: 'GET',
    path: '/api/traces/stats',
    summary: 'How recording is doing: written, dropped, kept.',
    responses: { 200: { description: 'The figures.', schema: TraceStats } },
  },
  getTraceSettings: {
    method: 'GET',
    path: '/api/traces/settings',
    summary: 'How long events are kept and where spans are sent.',
    responses: settingsAnswer,
  },
  changeTraceSettings: {
    method: 'PATCH',
    path: '/api/traces/settings',
    summary: 'Changes some of these settings.',
    body: TraceSettingsPatch,
    responses: settingsAnswer,
  },
  listCaptures: {
    method: 'GET',
    path: '/api/traces/capture',
    summary: 'What is recorded of the traffic of each served server.',
    responses: { 200: { description: 'One per server.', schema: z.object({ captures: z.array(CaptureView) }) } },
  },
  changeCapture: {
    method: 'PATCH',
    path: '/api/traces/capture/:server',
    summary: 'Changes what is recorded of one server, from its next request on.',
    params: z.object({ server: z.string() }),
    body: CapturePatch,
    responses: { 200: { description: 'What is recorded now.', schema: CaptureView } },
  },
} as const satisfies Record<string, ApiOperation>
