import type { Attributes } from '@opentelemetry/api'
import type { ConnectionKind } from '../../connection/connection.ts'
import { eraOf } from '../../protocol/version.ts'
import type { Events } from '../events.ts'
import { cut, recordableUri } from '../redact.ts'

type Operation = Events['mcp.request.start'] | Events['mcp.request.end'] | Events['mcp.client.request']

const longestName = 256
const longestUri = 2048

/** What a span says of an operation: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
export function spanAttributes(event: Operation): Attributes {
  return {
    'mcp.method.name': cut(event.method, longestName),
    'jsonrpc.request.id': cut(String(event.requestId), longestName),
    'mcp.protocol.version': event.version,
    // A modern request belongs to no session: what stands for its connection ends with it.
    'mcp.session.id': eraOf(event.version) === 'legacy' ? event.connection : undefined,
    'herma.server.name': event.server,
    ...transportAttributes(event.kind),
    ...targetAttributes(event),
  }
}

/** `{method} {target}`; a URI only where it was asked for, because there may be any number of them. */
export function spanName(event: Operation, resourceUriInName: boolean): string {
  const method = cut(event.method, longestName)
  const attributes = targetAttributes(event)
  const uri = resourceUriInName ? attributes['mcp.resource.uri'] : undefined
  const target = attributes['gen_ai.tool.name'] ?? attributes['gen_ai.prompt.name'] ?? uri
  return target === undefined ? method : `${method} ${String(target)}`
}

export function targetAttributes({ method, target }: Pick<Operation, 'method' | 'target'>): Attributes {
  if (target === undefined) return {}
  if (method === 'tools/call') {
    return { 'gen_ai.tool.name': cut(target, longestName), 'gen_ai.operation.name': 'execute_tool' }
  }
  if (method === 'prompts/get') return { 'gen_ai.prompt.name': cut(target, longestName) }
  if (method.startsWith('resources/')) return { 'mcp.resource.uri': recordableUri(target, longestUri) }
  return {}
}

export function transportAttributes(kind: ConnectionKind): Attributes {
  if (kind === 'stdio') return { 'network.transport': 'pipe' }
  // Two ends in one process have no network between them.
  return kind === 'memory' ? {} : { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
}
