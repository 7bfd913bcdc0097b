import { HubError } from '@herma/contract'
import { readEntry, type Catalog, type Scope, type Scopes } from '../../catalog/index.ts'
import type { Connectors, Downstream } from '../../downstream/index.ts'
import type { Events } from '../../platform/events.ts'
import { facadeName, findParamHeaders, sessionAtWork, type WorkContext, type ToolResult } from '../../wire/index.ts'
import { findBoundTool, listBoundTools } from './bound-tools.ts'
import type { RecordedStep } from '../call/call-recorder.ts'
import { workCallerOf } from './work-caller.ts'
import type { CallPermit, Rulings, Subject } from '../call/permission.ts'
import { ToolRun } from './tool-run.ts'
import { beginTrace, toTraceParent } from '../call/trace-context.ts'

interface ToolPortOptions {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly events: Events
  readonly rulings: Rulings
  connectors(): Connectors
  /** What a session uses of a connector; undefined when it is not bound, or either is disabled. */
  boundDownstream(place: BoundPlace): Downstream | undefined
  /** Whether servers are told of traces that the hub began. */
  propagates(): boolean
}

interface BoundPlace {
  readonly sessionId: string
  readonly connector: string
  readonly thread?: string | null | undefined
}

interface PortCall {
  readonly tool: string
  readonly arguments: Record<string, unknown>
  readonly workContext: WorkContext
  readonly signal: AbortSignal
  /** The talk that it belongs to. */
  readonly thread?: string | null
}

interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean }
}

const dayMs = 86_400_000
const uncounted: CallPermit = { release() {} }

/**
 * How the hub's own work uses tools of servers: no client waits for the call itself, but everything is done on behalf
 * of the one who wants the work. Rules are asked, servers may ask back, cancelling reaches them, and each call is
 * recorded in the trace of the work.
 */
export class ToolPort {
  readonly #options: ToolPortOptions

  constructor(options: ToolPortOptions) {
    this.#options = options
  }

  /** The tools of a bound connector by their names at the server; waits for the first look at it. */
  async boundTools(place: BoundPlace): Promise<readonly ListedTool[]> {
    const found = this.#find(place)
    if (found.downstream.known === null) await found.downstream.start()
    const tools = listBoundTools(found).filter(({ blockedBecause }) => blockedBecause === null)
    return tools.map(({ descriptor }) => descriptor as unknown as ListedTool)
  }

  async callBound(place: BoundPlace, call: PortCall): Promise<ToolResult> {
    const found = this.#find({ ...place, thread: call.thread })
    const { downstream } = found
    if (downstream.known === null) await downstream.start()
    const { name, descriptor } = findBoundTool(found, call.tool)
    this.#require(call.workContext, {
      connector: downstream.name,
      original: name,
      annotations: () => descriptor['annotations'],
      method: 'tools/call',
      target: name,
      arguments: call.arguments,
    })
    const headers = findParamHeaders(descriptor['inputSchema'])
    const paramHeaders = headers.length > 0 ? headers : null
    // The work has limits of its own.
    const timeoutMs = downstream.connector.options.maxRequestMs || dayMs
    const request = { tool: name, arguments: call.arguments, paramHeaders, timeoutMs }
    return this.#runOf(call).send(downstream, request)
  }

  /** The catalog of the facade as the principal of this work context sees it. */
  catalogTools(workContext: WorkContext): readonly ListedTool[] {
    return this.#scopeOf(workContext)
      .visibleTools()
      .map((tool) => ({ ...readEntry(tool), name: tool.name! }) as unknown as ListedTool)
  }

  async callCatalog(call: PortCall): Promise<ToolResult> {
    const tool = this.#scopeOf(call.workContext).visible(call.tool)
    if (tool === undefined)
      throw new HubError('TOOL_NOT_FOUND', `Unknown tool: ${JSON.stringify(call.tool)}. See: herma catalog list`)
    return this.#runOf(call).call(tool, call.arguments)
  }

  /** `mcp:stdio`, `mcp:stream` …: which way calls of this connector go. */
  routeOf(connector: string): string {
    const wanted = connector.toLowerCase()
    const entry = this.#options
      .connectors()
      .entries()
      .find(({ stored }) => stored.connector.name.toLowerCase() === wanted)
    return `mcp:${entry?.stored.connector.transport ?? 'gone'}`
  }

  #find(place: BoundPlace) {
    const { catalog, connectors } = this.#options
    const downstream = this.#options.boundDownstream(place)
    if (downstream === undefined) {
      const text = `'${place.connector}' is not bound to this session, or is disabled. See: herma session bindings`
      throw new HubError('BINDING_NOT_FOUND', text)
    }
    return { downstream, catalog, isShared: connectors().byId(downstream.id) === downstream }
  }

  #scopeOf({ principal, caller }: WorkContext): Scope {
    return this.#options.scopes.for({ server: facadeName, principal: principal.id, clientInfo: caller.clientInfo })
  }

  #runOf(call: PortCall): ToolRun {
    const { catalog, connectors, propagates } = this.#options
    const { workContext, signal } = call
    const downstreamOf = (id: string) => {
      const downstream = connectors().byId(id)
      if (downstream !== null) return downstream
      throw new HubError('CONNECTOR_DISABLED', 'The connector of this tool is disabled. See: herma list')
    }
    return new ToolRun(workCallerOf(workContext, { signal, isTraced: propagates() }), {
      member: ({ server, tool }) => catalog.member(server, tool),
      settled: () => connectors().settled(),
      exposed: (name) => this.#scopeOf(workContext).visible(name),
      downstream: downstreamOf,
      require: (subject) => this.#require(workContext, subject),
      // A session has limits of its own.
      take: () => uncounted,
      onStep: (step) => this.#record(step, call),
      owners: (uri) => this.#owners(workContext, uri),
    })
  }

  #owners(workContext: WorkContext, uri: string): Downstream[] {
    const scope = this.#scopeOf(workContext)
    const ids = scope.resourceOwners(uri)
    const seen = ids
      .flatMap((id) => this.#options.connectors().byId(id) ?? [])
      .filter(({ name }) => scope.seesServer(name))
    const subject = { method: 'resources/read', target: uri }
    return seen.filter(({ name }) => this.#check(workContext, { ...subject, connector: name }).allowed)
  }

  #check({ principal, caller, isLocal }: WorkContext, subject: Subject): ReturnType<Rulings['check']> {
    return this.#options.rulings.check({
      principal,
      server: caller.server,
      method: subject.method ?? 'tools/call',
      target: subject.target ?? '',
      arguments: subject.arguments,
      loopback: isLocal,
      connector: subject.connector,
      original: subject.original,
      annotations: subject.annotations?.(),
    })
  }

  #require(workContext: WorkContext, subject: Subject): void {
    const { allowed, why, rule } = this.#check(workContext, subject)
    if (allowed) return
    const { method, target } = subject
    const context = { ...contextOf(workContext), method, target }
    this.#options.events.emit('access.refused', subject.connector ?? null, { why, rule }, context)
    throw new HubError('FORBIDDEN', why)
  }

  #record({ connectorId: _, ...step }: RecordedStep, { workContext, thread }: PortCall): void {
    const { traceId, spanId } = workContext
    const child = beginTrace(toTraceParent({ traceId, spanId, parentId: undefined }))
    this.#options.events.record({
      ...contextOf(workContext),
      ...step,
      kind: 'step.finished',
      spanId: child.spanId,
      parentId: spanId,
      ...(thread != null && { thread }),
      route: this.routeOf(step.connector ?? ''),
      data: {},
    })
  }
}

function contextOf({ traceId, spanId, principal, caller, path }: WorkContext) {
  const session = sessionAtWork(path)
  const connection = caller.connectionId
  return {
    traceId,
    spanId,
    principal: principal.id,
    server: caller.server,
    ...(connection !== null && { connection }),
    ...(session !== null && { session }),
  }
}
