/** Protocol constants that the test server, the load client and the SDK-made gateway agree on. */
export const LEGACY_REVISION = '2025-11-25'
export const SSE_REVISION = '2024-11-05'
export const LEGACY_REVISIONS = [LEGACY_REVISION, '2025-06-18', '2025-03-26', SSE_REVISION]
export const MODERN_REVISION = '2026-07-28'
export const REVISION_KEY = 'io.modelcontextprotocol/protocolVersion'

export const CLIENT_INFO = { name: 'herma-bench', version: '1.0.0' }

/** What every modern request carries instead of an initialize. */
export const MODERN_META = {
  [REVISION_KEY]: MODERN_REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface RpcMessage {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}
