import type { ToolResult, WorkContext } from '../wire/index.ts'

/** A tool as its server describes it. */
export interface ToolDescriptor {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean }
}

/** A connector as one session is bound to it. */
export interface BoundPlace {
  readonly sessionId: string
  readonly connector: string
  /** The talk that it is for; a server may be started for each. */
  readonly thread?: string | null | undefined
}

/**
 * How sessions use tools of MCP servers; the gateway fills it. Rules of access are asked on behalf of whoever wants
 * the work, every call is recorded in its trace, and its path is carried on in `_meta`.
 */
export interface ToolPort {
  /** The tools of a bound connector by their names at the server; waits for the first look at it. */
  boundTools(place: BoundPlace): Promise<readonly ToolDescriptor[]>
  callBound(place: BoundPlace, call: PortCall): Promise<ToolResult>
  /** The catalog of the facade as the principal of this work context sees it. */
  catalogTools(workContext: WorkContext): readonly ToolDescriptor[]
  callCatalog(call: PortCall): Promise<ToolResult>
  /** `mcp:stdio`, `mcp:stream` …: which way calls of this connector go. */
  routeOf(connector: string): string
}

export interface PortCall {
  readonly tool: string
  readonly arguments: Record<string, unknown>
  readonly workContext: WorkContext
  /** Ends this call alone; it ends with the work context anyway. */
  readonly signal: AbortSignal
  /** The talk that it belongs to. */
  readonly thread?: string | null
}
