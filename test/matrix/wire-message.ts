export type Json = Record<string, unknown>
export type RequestId = string | number

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A JSON-RPC message as it stands on the wire: a request, a notification or a response. */
export interface WireMessage {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId | null
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: RpcError
}

/** What a server asks of a client: sampling, elicitation or roots. */
export interface Question {
  readonly method: string
  readonly params: Json
}

/** An error that the other side answered with. */
export class AnsweredError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(error: RpcError) {
    super(error.message)
    this.name = 'AnsweredError'
    this.code = error.code
    this.data = error.data
  }
}

/** The `_meta` keys that every modern request carries. */
export const metaKeys = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function metaOf(params: Json | undefined): Json {
  return isObject(params?.['_meta']) ? params['_meta'] : {}
}
