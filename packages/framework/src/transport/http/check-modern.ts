import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import type { Host } from '../../host/host.ts'
import { decodeHeaderValue } from '../../wire/header-value.ts'
import { isObject } from '../../wire/meta.ts'
import { namedParams } from '../../wire/named-params.ts'
import { checkParamHeaders } from '../../wire/param-headers.ts'
import type { HttpExchange } from './exchange.ts'

/**
 * Says where the headers of a modern request disagree with its body.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function headerProblem(host: Host, message: JSONRPCRequest, exchange: HttpExchange): string | undefined {
  const { method } = message
  const params: Record<string, unknown> = message.params ?? {}
  if (exchange.header('mcp-protocol-version') === undefined) return 'MCP-Protocol-Version is missing'
  const given = exchange.header('mcp-method')
  if (given === undefined) return 'Mcp-Method is missing'
  if (given !== method) return `Mcp-Method is ${JSON.stringify(given)}, the body says ${JSON.stringify(method)}`
  const field = namedParams.get(method)
  const name = field === undefined ? undefined : params[field]
  // A request without a name is refused by its method, which can say more.
  if (typeof name !== 'string') return undefined
  return nameProblem(name, exchange.header('mcp-name')) ?? paramProblem(host, params, method, exchange)
}

function nameProblem(name: string, header: string | undefined): string | undefined {
  if (header === name && !header.startsWith('=?')) return undefined
  if (header === undefined) return 'Mcp-Name is missing'
  const decoded = decodeHeaderValue(header)
  if (decoded === name) return undefined
  if (decoded === undefined) return 'Mcp-Name has characters that must be Base64-encoded'
  return `Mcp-Name is ${JSON.stringify(decoded)}, the body says ${JSON.stringify(name)}`
}

function paramProblem(
  { behaviour }: Host,
  params: Record<string, unknown>,
  method: string,
  exchange: HttpExchange,
): string | undefined {
  if (method !== 'tools/call') return undefined
  const mirrored = behaviour.mirroredParams?.(params['name'] as string) ?? []
  if (mirrored.length === 0) return undefined
  const args = isObject(params['arguments']) ? params['arguments'] : {}
  return checkParamHeaders(mirrored, exchange.allHeaders(), args)
}
