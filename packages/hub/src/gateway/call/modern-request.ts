import type { IncomingHttpHeaders } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import {
  decodeHeaderValue,
  isLogLevel,
  isObject,
  metaKeys,
  metaOf,
  modernRevision,
  namedParams,
  requestedLevel,
  revisions,
  type Caller,
  type RequestMessage,
} from '../../wire/index.ts'

/**
 * Checks what every modern request carries: the metadata in its body and the headers that mirror it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function validateModern(message: RequestMessage, headers: IncomingHttpHeaders): void {
  const meta = metaOf(message.params)
  const revision = meta?.[metaKeys.revision]
  const header = headers['mcp-protocol-version']
  if (meta === undefined || typeof revision !== 'string') {
    throw typeof header === 'string' && !isKnown(header) ? unsupported(header) : missing(metaKeys.revision)
  }
  if (header !== undefined && header !== revision) throw mismatch('MCP-Protocol-Version', header, revision)
  if (revision !== modernRevision) throw unsupported(revision)
  if (!isObject(meta[metaKeys.clientCapabilities])) throw missing(metaKeys.clientCapabilities)
  if (header === undefined) throw absent('MCP-Protocol-Version')
  const method = headers['mcp-method']
  if (method === undefined) throw absent('Mcp-Method')
  if (method !== message.method) throw mismatch('Mcp-Method', method, message.method)
  const field = namedParams.get(message.method)
  if (field !== undefined) checkName(message.params?.[field], headers['mcp-name'])
  const level = requestedLevel(meta)
  if (level !== null && !isLogLevel(level))
    throw new HubError('INVALID_PARAMS', `${JSON.stringify(level)} is not a log level.`)
}

export function toModernCaller(message: RequestMessage, place: { server: string; principal: Principal }): Caller {
  const meta = metaOf(message.params)!
  return {
    principal: place.principal.id,
    server: place.server,
    era: 'modern',
    revision: modernRevision,
    clientInfo: meta[metaKeys.clientInfo],
    capabilities: meta[metaKeys.clientCapabilities] as Record<string, unknown>,
    connectionId: null,
    logLevel: requestedLevel(meta),
  }
}

function checkName(name: unknown, header: string | string[] | undefined): void {
  // A request without a name is refused by its method, which can say more.
  if (typeof name !== 'string') return
  if (typeof header !== 'string') throw absent('Mcp-Name')
  if (header === name) return
  if (decodeHeaderValue(header) !== name) throw mismatch('Mcp-Name', header, name)
}

function isKnown(revision: string): boolean {
  return (revisions as readonly string[]).includes(revision)
}

function unsupported(revision: string): HubError {
  const data = { supported: [...revisions], requested: revision }
  return new HubError('REVISION_UNSUPPORTED', `Unsupported protocol version: ${JSON.stringify(revision)}`, { data })
}

function missing(key: string): HubError {
  return new HubError('INVALID_PARAMS', `Invalid params: _meta lacks "${key}".`)
}

function absent(header: string): HubError {
  return new HubError('HEADER_MISMATCH', `Header mismatch: ${header} is missing.`)
}

function mismatch(header: string, given: unknown, wanted: string): HubError {
  return new HubError(
    'HEADER_MISMATCH',
    `Header mismatch: ${header} is ${JSON.stringify(given)}, the body says ${JSON.stringify(wanted)}.`,
  )
}
