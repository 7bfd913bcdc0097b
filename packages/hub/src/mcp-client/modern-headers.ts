import {
  encodeHeaderValue,
  metaKeys,
  metaOf,
  mirrorParams,
  modernRevision,
  namedParams,
  type NotificationMessage,
  type ParamHeader,
  type RequestMessage,
} from '../wire/index.ts'

/**
 * The headers that mirror a modern message.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export function modernHeaders(
  message: RequestMessage | NotificationMessage,
  mirrored: readonly ParamHeader[] = [],
): Record<string, string> {
  const { method, params } = message
  const revision = metaOf(params)?.[metaKeys.revision]
  const name = params?.[namedParams.get(method) ?? '']
  const headers: Record<string, string> = {
    'mcp-protocol-version': encodeHeaderValue(typeof revision === 'string' ? revision : modernRevision),
    'mcp-method': encodeHeaderValue(method),
  }
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name)
  const flat = mirrorParams(mirrored, params?.['arguments'])
  for (let index = 0; index + 1 < flat.length; index += 2) headers[flat[index]!] = flat[index + 1]!
  return headers
}
