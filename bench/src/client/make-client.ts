import type { Dialect, Endpoint, McpClient } from './mcp-client.ts'
import { SseClient } from './sse-client.ts'
import { StdioClient } from './stdio-client.ts'
import { StreamableClient } from './streamable-client.ts'

/** A client for this endpoint; a request that stays silent for `timeoutMs` fails. */
export function makeClient(endpoint: Endpoint, dialect: Dialect, timeoutMs: number): McpClient {
  if (endpoint.kind === 'stdio') return new StdioClient(endpoint, dialect === 'modern' ? 'modern' : 'legacy', timeoutMs)
  if (dialect === 'sse') return new SseClient(endpoint.url, timeoutMs)
  return new StreamableClient(endpoint, dialect, timeoutMs)
}
