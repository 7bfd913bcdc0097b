import type { ContentBlock, JSONValue } from '@modelcontextprotocol/server'

/** An error of the protocol: the client gets it as a JSON-RPC error with this code, message and data. */
export class McpError extends Error {
  override readonly name: string = 'McpError'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The codes that JSON-RPC and MCP define: https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes */
export const errorCode = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
  denied: -32_003,
} as const

/** Something that a URI should lead to is not there. */
export class NotFound extends McpError {
  override readonly name = 'NotFound'
  constructor(uri: string, what = 'resource') {
    super(errorCode.resourceNotFound, `There is no ${what} '${uri}'.`, { uri })
  }
}

/** The principal lacks scopes. Over HTTP the client is challenged for them, so that it can ask for more. */
export class Denied extends McpError {
  override readonly name = 'Denied'
  constructor(readonly scopes: readonly string[]) {
    super(errorCode.denied, `This needs the scope ${scopes.join(' ')}, which the caller was not given.`, { scopes })
  }
}

/** What a `ToolError` says besides its message. */
export interface ToolErrorOptions extends ErrorOptions {
  /** Shown in place of the message. */
  readonly content?: readonly ContentBlock[]
  readonly structured?: JSONValue
}

/** What went wrong in a tool, said to the model: its message reaches the client as an `isError` result, unmasked. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly content: readonly ContentBlock[] | undefined
  readonly structured: JSONValue | undefined
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options)
    this.content = options.content
    this.structured = options.structured
  }
}

/** The author's mistake, found before anything is served; `fix` says what to write instead. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(`${message} ${fix}`)
  }
}

/** Somebody else saved the record first. */
export class StaleRevision extends Error {
  override readonly name = 'StaleRevision'
  constructor(key: string) {
    super(`'${key}' was changed by somebody else in the meantime. Load it again and repeat the change.`)
  }
}
