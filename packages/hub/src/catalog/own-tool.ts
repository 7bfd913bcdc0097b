import type { Caller } from '../wire/index.ts'

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

/** A tool as a composite names it: by its connector and its own name, or by the name that clients see. */
export interface ToolReference {
  readonly server?: string | undefined
  readonly tool: string
}

export type Arguments = Record<string, unknown>

/** What a tool of Herma's own may do while it runs, on behalf of the client that called it. */
export interface ToolContext {
  readonly signal: AbortSignal
  readonly caller: Caller
  /** Calls a tool of a server, hidden ones too. Rejects with a HubError when there is none or it cannot be reached. */
  call(
    reference: ToolReference,
    args: Arguments,
    options?: { readonly timeoutMs?: number | undefined },
  ): Promise<ToolResult>
  /** Calls a tool by the name that clients see; only those that this client may see. `signal` ends the call early. */
  callExposed(name: string, args: Arguments, signal?: AbortSignal): Promise<ToolResult>
  /** Reads a resource that this client may see. Rejects with RESOURCE_NOT_FOUND when nobody has it. */
  readResource(uri: string): Promise<Record<string, unknown>>
  /** Tells the client how far it is, if it wants to know. */
  progress(done: number, total: number | undefined, message: string): void
}

/** A tool that Herma runs itself: a composite, a command, or a way to find other tools. */
export interface OwnTool {
  /** The name that it wants to be seen by. */
  readonly name: string
  /** Where it comes from, for people: `catalog/core.json`, `custom_tools.json`. */
  readonly origin: string
  /** As in tools/list. */
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  run(args: Arguments, context: ToolContext): Promise<ToolResult>
}

/** An answer that says in words what went wrong, for the model to read. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
