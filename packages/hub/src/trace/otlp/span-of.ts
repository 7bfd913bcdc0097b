import type { EventView } from '@herma/contract'
import { attributesOf } from './attributes-of.ts'

const serverKind = 2
const errorStatus = 2

/**
 * The span of a finished call, by the semantic conventions for MCP; what they do not name begins with `herma.`.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
export function spanOf(event: EventView, requestId?: unknown): object {
  const { method, target, ms = 0, outcome = 'ok', spanId, parentId } = event
  const begin = Date.parse(event.at)
  const isNamed = target !== undefined && (method === 'tools/call' || method === 'prompts/get')
  return {
    traceId: event.traceId ?? '0'.repeat(32),
    spanId: spanId ?? '0'.repeat(16),
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    // The address of a resource is no part of a name: there are too many of them.
    name: isNamed ? `${method} ${target}` : (method ?? event.kind),
    kind: serverKind,
    startTimeUnixNano: nanos(begin),
    endTimeUnixNano: nanos(begin + ms),
    attributes: attributesOf({
      'mcp.method.name': method,
      'mcp.session.id': event.connection,
      'mcp.protocol.version': textIn(event.data, 'revision'),
      'jsonrpc.request.id': requestId === undefined ? undefined : String(requestId),
      'rpc.response.status_code': /^-?\d+$/.test(event.errorCode ?? '') ? event.errorCode : undefined,
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
      'gen_ai.tool.name': method === 'tools/call' ? target : undefined,
      'gen_ai.prompt.name': method === 'prompts/get' ? target : undefined,
      'mcp.resource.uri': method?.startsWith('resources/') ? target : undefined,
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'error.type': outcome === 'ok' ? undefined : errorTypeOf(event),
      'enduser.id': event.principal,
      'herma.server': event.server,
      'herma.connector': event.connector ?? undefined,
      'herma.route': event.route,
      'herma.session': event.session,
      'herma.thread': event.thread,
      'herma.transport': event.transport,
      'herma.era': event.era,
      'herma.outcome': outcome,
      'herma.request.bytes': event.requestBytes,
      'herma.response.bytes': event.responseBytes,
    }),
    status: outcome === 'ok' ? {} : { code: errorStatus, message: outcome },
  }
}

// A tool that reports a failure of its own has a name of its own in the conventions.
function errorTypeOf({ outcome, errorCode }: EventView): string {
  return outcome === 'tool-error' ? 'tool_error' : (errorCode ?? outcome ?? '_OTHER')
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n)
}

function textIn(data: EventView['data'], name: string): string | undefined {
  return typeof data[name] === 'string' ? data[name] : undefined
}
