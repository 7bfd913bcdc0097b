import type { IncomingMessage, ServerResponse } from 'node:http'

/** Lets pages of others, such as MCP Inspector, use the endpoint. The guard has checked that their origin is allowed. */
export function crossOriginHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin!)
  response.setHeader('Vary', 'Origin')
  response.setHeader(
    'Access-Control-Expose-Headers',
    'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After',
  )
  if (request.method !== 'OPTIONS') return
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, DELETE')
  response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*')
  response.setHeader('Access-Control-Max-Age', '600')
}
