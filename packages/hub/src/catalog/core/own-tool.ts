import type { Caller, WorkContext, ToolResult } from '../../wire/index.ts'

export { errorResult, type ContentBlock, type ToolResult } from '../../wire/index.ts'

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
  /** For work that outgrows a single call: who wants it, which way it came, and how to ask and tell them. */
  workContext(): WorkContext
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

/** A served server that consists of tools of Herma's own: a team, a session. */
export interface OwnServer {
  readonly name: string
  readonly title: string
  readonly instructions: string
  readonly tools: readonly OwnTool[]
}
