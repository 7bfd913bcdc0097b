export interface ContentBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** The result of a tools/call as the specification has it. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** An answer that says in words what went wrong, for the model to read. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
