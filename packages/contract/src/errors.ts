/** Every error that leaves the hub has one of these codes; the edge reads the numbers, nothing else does. */
export const errorCodes = {
  PARSE_ERROR: { rpc: -32700, http: 400 },
  INVALID_REQUEST: { rpc: -32600, http: 400 },
  METHOD_NOT_FOUND: { rpc: -32601, http: 404 },
  INVALID_PARAMS: { rpc: -32602, http: 400 },
  INTERNAL: { rpc: -32603, http: 500 },
  TOOL_NOT_FOUND: { rpc: -32602, http: 404 },
  PROMPT_NOT_FOUND: { rpc: -32602, http: 404 },
  RESOURCE_NOT_FOUND: { rpc: -32002, http: 404 },
  CONNECTION_NOT_FOUND: { rpc: -32001, http: 404 },
  CONNECTION_REQUIRED: { rpc: -32000, http: 400 },
  TOO_MANY_CONNECTIONS: { rpc: -32000, http: 503 },
  HEADER_MISMATCH: { rpc: -32020, http: 400 },
  CAPABILITY_MISSING: { rpc: -32021, http: 400 },
  REVISION_UNSUPPORTED: { rpc: -32022, http: 400 },
  BODY_TOO_LARGE: { rpc: -32600, http: 413 },
  NOT_ACCEPTABLE: { rpc: -32000, http: 406 },
  UNSUPPORTED_MEDIA_TYPE: { rpc: -32000, http: 415 },
  UNAUTHENTICATED: { rpc: -32000, http: 401 },
  FORBIDDEN: { rpc: -32000, http: 403 },
  RATE_LIMITED: { rpc: -32000, http: 429 },
  KEY_NOT_FOUND: { rpc: -32602, http: 404 },
  KEY_EXISTS: { rpc: -32602, http: 409 },
  USER_NOT_FOUND: { rpc: -32602, http: 404 },
  USER_EXISTS: { rpc: -32602, http: 409 },
  GRANT_NOT_FOUND: { rpc: -32602, http: 404 },
  PROVIDER_NOT_FOUND: { rpc: -32602, http: 404 },
  PROVIDER_EXISTS: { rpc: -32602, http: 409 },
  PROVIDER_UNAVAILABLE: { rpc: -32603, http: 502 },
  KEY_ROTATION_PENDING: { rpc: -32603, http: 409 },
  SECRET_NOT_FOUND: { rpc: -32602, http: 404 },
  SECRET_IN_USE: { rpc: -32602, http: 409 },
  SERVER_NOT_FOUND: { rpc: -32602, http: 404 },
  SERVER_EXISTS: { rpc: -32602, http: 409 },
  PIN_MOVED: { rpc: -32602, http: 409 },
  RULE_NOT_FOUND: { rpc: -32602, http: 404 },
  RULE_INVALID: { rpc: -32602, http: 422 },
  CONNECTOR_NOT_FOUND: { rpc: -32602, http: 404 },
  CONNECTOR_EXISTS: { rpc: -32602, http: 409 },
  CONNECTOR_INVALID: { rpc: -32602, http: 422 },
  CATALOG_INVALID: { rpc: -32602, http: 422 },
  CONNECTOR_DISABLED: { rpc: -32603, http: 409 },
  DOWNSTREAM_UNAVAILABLE: { rpc: -32603, http: 502 },
  DOWNSTREAM_FAILED: { rpc: -32603, http: 502 },
  SIGN_IN_REQUIRED: { rpc: -32603, http: 502 },
  SIGN_IN_FAILED: { rpc: -32603, http: 502 },
  ADDRESS_REFUSED: { rpc: -32603, http: 502 },
  DOWNSTREAM_TIMEOUT: { rpc: -32603, http: 504 },
  ANSWER_TOO_LARGE: { rpc: -32603, http: 502 },
  OVERLOADED: { rpc: -32603, http: 503 },
  HUB_NOT_RUNNING: { rpc: -32603, http: 503 },
  TRACE_NOT_FOUND: { rpc: -32602, http: 404 },
  TRACE_NOT_REPLAYABLE: { rpc: -32602, http: 422 },
  SEARCH_TOO_LONG: { rpc: -32603, http: 503 },
  STORE_UNAVAILABLE: { rpc: -32603, http: 503 },
} as const satisfies Record<string, { rpc: number; http: number }>

export type ErrorCode = keyof typeof errorCodes

/** An error with a code that callers may switch on. Its message says what is wrong, where, and the next step. */
export class HubError extends Error {
  readonly code: ErrorCode
  readonly data: unknown

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'HubError'
    this.code = code
    this.data = options.data
  }
}
