import type {
  CacheHint,
  CallToolResult,
  CompleteResult,
  Implementation,
  JSONRPCRequest,
  Result,
  ServerCapabilities,
} from '@modelcontextprotocol/server'
import { Catalog } from '../component/catalog.ts'
import { complete } from '../component/complete.ts'
import type { Component } from '../component/component.ts'
import type { AnyType, Kind } from '../component/define.ts'
import { page } from '../component/page.ts'
import { hasScopes } from '../auth/auth.ts'
import { watchLimits } from '../connection/live-connection.ts'
import { RequestContext } from '../host/request-context.ts'
import { ConfigError, Denied, errorCode, McpError, NotFound } from '../protocol/errors.ts'
import { emit } from '../telemetry/events.ts'
import { typeOfThrown } from '../telemetry/thrown.ts'
import { isObject } from '../wire/meta.ts'
import type { ParamHeader } from '../wire/param-headers.ts'
import type { Behaviour, Exchange, Reply } from '../host/behaviour.ts'
import { MiddlewareChain } from './middleware.ts'
import { runTool } from './run-tool.ts'
import { checkFrom, type ServerOptions } from '../host/settings.ts'

export type MethodHandler = (request: JSONRPCRequest, context: RequestContext) => Promise<Result> | Result

/** The high-level server: a behaviour that answers from a catalog of components. */
export class Toolkit implements Behaviour {
  readonly catalog = new Catalog()
  readonly middleware = new MiddlewareChain()
  readonly extensions: Record<string, object> = {}
  readonly #options: ServerOptions<AnyType>
  readonly #methods = new Map<string, MethodHandler>()
  readonly #extra = new Set<string>()
  readonly #cache: CacheHint

  constructor(options: ServerOptions<AnyType>) {
    for (const field of ['name', 'version'] as const) {
      if (typeof options[field] === 'string' && options[field] !== '') continue
      throw new ConfigError(`A server needs a ${field}.`, "Write server({ name: 'my-server', version: '1.0.0' }).")
    }
    checkFrom(1, { pageSize: options.pageSize ?? 100 })
    this.#options = options
    this.#cache = options.cache ?? {}
    this.#serveLists()
    this.#methods.set('tools/call', (request, context) => this.#callTool(request, context))
    this.#methods.set('resources/read', (request, context) => this.#readResource(request, context))
    this.#methods.set('prompts/get', (request, context) => this.#getPrompt(request, context))
    this.#methods.set('completion/complete', (request, context) => this.#complete(request, context))
    this.#methods.set('resources/subscribe', (request, context) => this.#watch(request, context))
    this.#methods.set('resources/unsubscribe', (request, context) => unwatch(request, context))
  }

  serverInfo(): Implementation {
    const { name, version, title, description, websiteUrl, icons } = this.#options
    return {
      name,
      version,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons: [...icons] }),
    }
  }

  capabilities(): ServerCapabilities {
    const isOpen = this.catalog.providers.length > 0
    const hasResources = isOpen || this.catalog.has('resource') || this.catalog.has('template')
    return {
      logging: {},
      ...((isOpen || this.catalog.has('tool')) && { tools: { listChanged: true } }),
      ...((isOpen || this.catalog.has('prompt')) && { prompts: { listChanged: true } }),
      ...(hasResources && { resources: { listChanged: true, subscribe: true } }),
      ...((hasResources || this.catalog.has('prompt')) && { completions: {} }),
      ...(Object.keys(this.extensions).length > 0 && {
        extensions: this.extensions as ServerCapabilities['extensions'],
      }),
    }
  }

  instructions(): string | undefined {
    return this.#options.instructions
  }

  extraMethods(): readonly string[] {
    return [...this.#extra]
  }

  /** Answers a method of an extension, or one of the revision in place of the catalog. */
  onMethod(method: string, handler: MethodHandler): void {
    if (!this.#methods.has(method)) this.#extra.add(method)
    this.#methods.set(method, handler)
  }

  async handleRequest(request: JSONRPCRequest, _: undefined, exchange: Exchange<undefined>): Promise<Reply<undefined>> {
    // Only the host makes exchanges, and it makes them of this class.
    const context = exchange as unknown as RequestContext
    const handler = this.#methods.get(request.method)
    if (handler === undefined) throw new McpError(errorCode.methodNotFound, `Method not found: ${request.method}`)
    const result = await this.middleware.run(request, context, async (passed, own) => {
      if (own instanceof RequestContext) return handler(passed, own)
      throw new ConfigError('next() was given a context of your own.', 'Leave things in context.locals instead.')
    })
    return ['reply', result]
  }

  scopesOf(request: JSONRPCRequest): readonly string[] {
    return this.#named(request)?.definition.scopes ?? []
  }

  mirroredParams(tool: string): readonly ParamHeader[] {
    return this.catalog.own('tool', tool)?.mirrored ?? []
  }

  #named({ method, params }: JSONRPCRequest): Component | undefined {
    const { name, uri, ref } = (params ?? {}) as { name?: unknown; uri?: unknown; ref?: unknown }
    if (method === 'tools/call' && typeof name === 'string') return this.catalog.own('tool', name)
    if (method === 'prompts/get' && typeof name === 'string') return this.catalog.own('prompt', name)
    if (method === 'completion/complete' && isObject(ref)) return this.#referred(ref)
    if ((method !== 'resources/read' && method !== 'resources/subscribe') || typeof uri !== 'string') return undefined
    return this.catalog.own('resource', uri) ?? this.catalog.ownTemplate(uri)
  }

  #referred(ref: Record<string, unknown>): Component | undefined {
    if (ref['type'] === 'ref/prompt') return this.catalog.own('prompt', String(ref['name']))
    return ref['type'] === 'ref/resource' ? this.catalog.own('template', String(ref['uri'])) : undefined
  }

  #serveLists(): void {
    const size = this.#options.pageSize ?? 100
    const serve = (method: string, kind: Kind, field: string) =>
      this.#methods.set(method, async ({ params }, context) => {
        const { entries, nextCursor } = page(await this.catalog.describe(kind, context), params?.['cursor'], size)
        return { [field]: entries, ...(nextCursor !== undefined && { nextCursor }), ...this.#cache }
      })
    serve('tools/list', 'tool', 'tools')
    serve('prompts/list', 'prompt', 'prompts')
    serve('resources/templates/list', 'template', 'resourceTemplates')
    this.#methods.set('resources/list', async ({ params }, context) => {
      const fixed = await this.catalog.describe('resource', context)
      const templates = await this.catalog.list('template', context)
      const listed = await Promise.all(templates.map((template) => template.list(context)))
      const { entries, nextCursor } = page([...fixed, ...listed.flat()], params?.['cursor'], size)
      return { resources: entries, ...(nextCursor !== undefined && { nextCursor }), ...this.#cache }
    })
  }

  async #callTool(request: JSONRPCRequest, context: RequestContext): Promise<CallToolResult> {
    const name = textParam(request, 'name')
    const args = request.params?.['arguments'] ?? {}
    if (!isObject(args)) throw new McpError(errorCode.invalidParams, "Invalid params: 'arguments' must be an object.")
    const tool = this.catalog.plain(name) ?? (await this.catalog.find('tool', name, context))
    if (tool === undefined) throw new McpError(errorCode.invalidParams, `Unknown tool '${name}'.`)
    requireScopes(tool, context)
    return runTool(tool, args, context)
  }

  async #readResource(request: JSONRPCRequest, context: RequestContext): Promise<Result> {
    const uri = textParam(request, 'uri')
    if (!URL.canParse(uri)) throw new NotFound(uri)
    const resource = await this.catalog.findResource(uri, context)
    if (resource === undefined) throw new NotFound(uri)
    requireScopes(resource, context)
    return timed('mcp.resource.read', context, () => resource.run(uri, context))
  }

  async #getPrompt(request: JSONRPCRequest, context: RequestContext): Promise<Result> {
    const name = textParam(request, 'name')
    const prompt = await this.catalog.find('prompt', name, context)
    if (prompt === undefined) throw new McpError(errorCode.invalidParams, `Unknown prompt '${name}'.`)
    requireScopes(prompt, context)
    return timed('mcp.prompt.get', context, () => prompt.run(request.params?.['arguments'] ?? {}, context))
  }

  /** A resource may be watched before it is there; who may not read it does not hear of it. */
  async #watch(request: JSONRPCRequest, context: RequestContext): Promise<Result> {
    const uri = textParam(request, 'uri')
    const { subscriptions } = context.connection
    if (
      uri.length > watchLimits.uriLength ||
      (subscriptions.size >= watchLimits.resources && !subscriptions.has(uri))
    ) {
      throw new McpError(
        errorCode.invalidParams,
        `A connection watches at most ${watchLimits.resources} resources with URIs of ${watchLimits.uriLength} characters.`,
      )
    }
    const resource = this.#named(request)
    if (resource !== undefined) requireScopes(resource, context)
    subscriptions.add(uri)
    return {}
  }

  async #complete({ params }: JSONRPCRequest, context: RequestContext): Promise<CompleteResult> {
    const { ref, argument } = (params ?? {}) as { ref?: Record<string, unknown>; argument?: Record<string, unknown> }
    const { name, value } = argument ?? {}
    if (typeof name !== 'string' || typeof value !== 'string' || !isObject(ref)) {
      throw new McpError(
        errorCode.invalidParams,
        "Invalid params: 'ref' and 'argument' with name and value are needed.",
      )
    }
    const completers = await this.#completersOf(ref, context)
    const others = (params as { context?: { arguments?: unknown } }).context?.arguments ?? {}
    if (!isObject(others) || !Object.values(others).every((other) => typeof other === 'string')) {
      throw new McpError(errorCode.invalidParams, "Invalid params: 'context.arguments' must hold strings.")
    }
    return complete(
      Object.hasOwn(completers, name) ? completers[name] : undefined,
      value,
      others as Record<string, string>,
    )
  }

  async #completersOf(ref: Record<string, unknown>, context: RequestContext) {
    if (ref['type'] === 'ref/prompt') {
      const prompt = await this.catalog.find('prompt', String(ref['name']), context)
      if (prompt !== undefined) return allowed(prompt, context).complete
    }
    if (ref['type'] === 'ref/resource') {
      const templates = await this.catalog.list('template', context)
      const template = templates.find((candidate) => candidate.id === ref['uri'])
      if (template !== undefined) return allowed(template, context).complete
      if (typeof ref['uri'] === 'string' && (await this.catalog.findResource(ref['uri'], context)) !== undefined)
        return {}
    }
    throw new McpError(errorCode.invalidParams, `There is nothing to complete for ${JSON.stringify(ref)}.`)
  }
}

function allowed<C extends Component>(component: C, context: RequestContext): C {
  requireScopes(component, context)
  return component
}

function requireScopes(component: Component, context: RequestContext): void {
  const { scopes } = component.definition
  if (scopes !== undefined && !hasScopes(context.principal, scopes)) throw new Denied(scopes)
}

function textParam({ params, method }: JSONRPCRequest, name: string): string {
  const value = params?.[name]
  if (typeof value === 'string') return value
  throw new McpError(errorCode.invalidParams, `Invalid params: ${method} needs '${name}' as a string.`)
}

async function timed<R>(
  event: 'mcp.resource.read' | 'mcp.prompt.get',
  context: RequestContext,
  run: () => Promise<R>,
): Promise<R> {
  const startedAt = performance.now()
  const report = (error?: unknown) =>
    emit(event, () => ({
      ...context.operation(),
      ms: performance.now() - startedAt,
      ...(error !== undefined && { failure: { type: typeOfThrown(error), error } }),
    }))
  try {
    const result = await run()
    report()
    return result
  } catch (error) {
    if (!context.isSuspended) report(error)
    throw error
  }
}

async function unwatch(request: JSONRPCRequest, context: RequestContext): Promise<Result> {
  context.connection.subscriptions.delete(textParam(request, 'uri'))
  return {}
}
