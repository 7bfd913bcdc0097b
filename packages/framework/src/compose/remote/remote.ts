import { UriTemplate, type CallToolResult, type Result } from '@modelcontextprotocol/server'
import type { Client } from '@modelcontextprotocol/client'
import type {
  Component,
  ComponentOf,
  Provider,
  ResourceComponent,
  TemplateComponent,
} from '../../component/component.ts'
import type { Common, Completer, Kind } from '../../component/define.ts'
import type { Context } from '../../context/context.ts'
import { errorCode, McpError, ToolError } from '../../protocol/errors.ts'
import { metaOf } from '../../wire/meta.ts'
import { findParamHeaders, mirrorParams } from '../../wire/param-headers.ts'
import { forwardCall, type RemoteCall } from './remote-call.ts'
import { RemoteSupervisor } from './remote-supervisor.ts'
import type { RemoteLink } from './remote-link.ts'
import { idOf, RemoteLists, type Descriptor } from './remote-lists.ts'
import { readTarget, type RemoteCommand, type RemoteHttpOptions } from './remote-target.ts'
import { SharedLock } from './shared-lock.ts'
import { LinkFailure, RemoteUnavailable } from './remote-unavailable.ts'

export type { RemoteCommand, RemoteHeaders } from './remote-target.ts'

/** How another server is reached, and what of it is passed on; all of it has defaults. */
export interface RemoteOptions extends RemoteHttpOptions {
  /** How the server is called in messages; its address or command unless said otherwise. */
  readonly name?: string
  /**
   * Whether its questions are passed on to callers, for all tools or for some. On a legacy server a call that may be
   * asked runs alone, so say `false` for one that never asks and is slow.
   */
  readonly asks?: boolean | ((tool: string) => boolean)
  /** Instead of the server's `timeoutMs`, for its tools. */
  readonly timeoutMs?: number
  /** 30 seconds unless said otherwise. */
  readonly connectTimeoutMs?: number
  /** The first wait after a loss, doubled up to `maxRetryMs`; half a second and 30 seconds unless said otherwise. */
  readonly firstRetryMs?: number
  readonly maxRetryMs?: number
  /** How long lists are kept whose changes the server does not announce; a minute unless said otherwise. */
  readonly refreshMs?: number
}

/**
 * Another MCP server as a provider: at a URL (Streamable HTTP), as a child process, or through a connected client.
 * It is connected to when first needed; while it is down its components are not listed, and calls say why.
 */
export function remote(target: string | URL | RemoteCommand | Client, options: RemoteOptions = {}): Provider {
  return new RemoteProvider(target, options)
}

const allKinds: readonly Kind[] = ['tool', 'prompt', 'resource', 'template']

type Components = ReadonlyMap<string, Component>

class RemoteProvider implements Provider {
  readonly #options: RemoteOptions
  readonly #label: string
  readonly #supervisor: RemoteSupervisor
  readonly #lists: RemoteLists
  readonly #lock = new SharedLock()
  readonly #listeners = new Set<(kind: Kind) => void>()
  /** What was there last, so that a call while the server is down can say so. */
  readonly #known = new Map<Kind, { descriptors: readonly Descriptor[]; components: Components }>()

  constructor(target: string | URL | RemoteCommand | Client, options: RemoteOptions) {
    const read = readTarget(target, options)
    this.#label = options.name ?? read.label
    this.#options = options
    this.#lists = new RemoteLists(options.refreshMs ?? 60_000)
    const asksAtAll = options.asks !== false
    this.#supervisor = new RemoteSupervisor(
      { ...read, label: this.#label },
      {
        capabilities: asksAtAll ? { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } : {},
        connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
        firstRetryMs: options.firstRetryMs ?? 500,
        maxRetryMs: options.maxRetryMs ?? 30_000,
        onListChanged: (method) => this.#announce(this.#lists.changed(method)),
        onTurn: () => this.#announce(allKinds),
      },
    )
  }

  async list<K extends Kind>(kind: K): Promise<readonly ComponentOf<K>[]> {
    const components = await this.#components(kind)
    return [...(components?.values() ?? [])] as unknown as ComponentOf<K>[]
  }

  async find<K extends 'tool' | 'prompt'>(kind: K, id: string): Promise<ComponentOf<K> | undefined> {
    return (await this.#lastKnown(kind))?.get(id) as ComponentOf<K> | undefined
  }

  async findResource(uri: string): Promise<ResourceComponent | TemplateComponent | undefined> {
    const fixed = (await this.#lastKnown('resource'))?.get(uri)
    if (fixed !== undefined) return fixed as ResourceComponent
    const templates = [...((await this.#lastKnown('template'))?.values() ?? [])] as TemplateComponent[]
    return templates.find((template) => template.matches(uri))
  }

  onChange(changed: (kind: Kind) => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  async stop(): Promise<void> {
    await this.#supervisor.stop()
  }

  #announce(kinds: readonly Kind[]): void {
    for (const kind of kinds) for (const listener of this.#listeners) listener(kind)
  }

  async #lastKnown(kind: Kind): Promise<Components | undefined> {
    return (await this.#components(kind)) ?? this.#known.get(kind)?.components
  }

  /** Undefined while the server is down. */
  async #components(kind: Kind): Promise<Components | undefined> {
    let link: RemoteLink | undefined
    try {
      link = await this.#supervisor.link()
      const descriptors = await this.#lists.get(kind, link)
      const known = this.#known.get(kind)
      if (known?.descriptors === descriptors) return known.components
      const components = new Map(descriptors.map((one) => [idOf(kind, one), this.#toComponent(kind, one)]))
      this.#known.set(kind, { descriptors, components })
      return components
    } catch (error) {
      if (link !== undefined && error instanceof LinkFailure && error.isLoss)
        this.#supervisor.drop(link, error.cause, false)
      // One remote server must not take the others' lists with it; whoever calls it learns the reason.
      return undefined
    }
  }

  #toComponent(kind: Kind, descriptor: Descriptor): Component {
    const id = idOf(kind, descriptor)
    const base = { kind, id, descriptor, definition: toDefinition(descriptor) }
    switch (kind) {
      case 'tool': {
        const mirrored = findParamHeaders(descriptor['inputSchema'])
        const { timeoutMs } = this.#options
        const run = (args: unknown, context: Context) => {
          const headers = Object.fromEntries(pairs(mirrorParams(mirrored, args)))
          const call = { method: 'tools/call', params: { name: id, arguments: args }, headers, asks: this.#asks(id) }
          return this.#run(call, context).catch(toToolError) as Promise<CallToolResult>
        }
        return { ...base, timeoutMs, isExclusive: false, task: 'never', mirrored, run } as unknown as Component
      }
      case 'prompt': {
        const run = (args: unknown, context: Context) =>
          this.#run({ method: 'prompts/get', params: { name: id, arguments: args }, asks: this.#asks(id) }, context)
        const args = Array.isArray(descriptor['arguments'])
          ? descriptor['arguments'].map((one: Descriptor) => one['name'])
          : []
        return {
          ...base,
          complete: this.#completers(args, { type: 'ref/prompt', name: id }),
          run,
        } as unknown as Component
      }
      case 'resource':
        return { ...base, run: this.#read } as unknown as Component
      case 'template': {
        const template = parseTemplate(id)
        const complete = this.#completers(template?.variableNames ?? [], { type: 'ref/resource', uri: id })
        const matches = (uri: string) => template !== undefined && template.match(uri) !== null
        return { ...base, complete, matches, run: this.#read, list: async () => [] } as unknown as Component
      }
    }
  }

  readonly #read = (uri: string, context: Context): Promise<Result> =>
    this.#run({ method: 'resources/read', params: { uri }, asks: this.#asks(uri) }, context)

  async #run(call: RemoteCall, context: Context): Promise<Result> {
    for (let tries = 1; ; tries++) {
      const link = await this.#supervisor.link().catch(toMcpError)
      try {
        return await forwardCall(link, call, context, this.#lock)
      } catch (error) {
        if (error instanceof RemoteUnavailable) toMcpError(error)
        if (!(error instanceof LinkFailure)) throw error
        // The specification asks for a new session in place of one that the server forgot.
        const isForgotten = error.isForgotten && tries === 1
        if (error.isLoss) this.#supervisor.drop(link, error.cause, isForgotten)
        if (!isForgotten) toMcpError(new RemoteUnavailable(this.#label, error.cause))
      }
    }
  }

  #completers(names: readonly unknown[], ref: object): Record<string, Completer> {
    const complete = (name: string) => async (value: string, others: Readonly<Record<string, string>>) => {
      const link = await this.#supervisor.link().catch(toMcpError)
      if (link.client.getServerCapabilities()?.completions === undefined) return []
      const params = { ref, argument: { name, value }, context: { arguments: others } }
      const result = await link.request({ method: 'completion/complete', params, signal: AbortSignal.timeout(10_000) })
      const { values } = (result['completion'] ?? {}) as { values?: unknown }
      return Array.isArray(values) ? values.map(String) : []
    }
    return Object.fromEntries(names.map((name) => [String(name), complete(String(name))]))
  }

  #asks(name: string): boolean {
    const { asks = true } = this.#options
    return typeof asks === 'function' ? asks(name) : asks
  }
}

function toDefinition(descriptor: Descriptor): Common {
  const { title, description } = descriptor
  const tags = metaOf(descriptor)?.['tags']
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(tags) && { tags: tags.map(String) }),
  }
}

function parseTemplate(uri: string): UriTemplate | undefined {
  try {
    return new UriTemplate(uri)
  } catch {
    // The template is listed, but no URI can be matched with it.
    return undefined
  }
}

function* pairs(flat: readonly string[]): Iterable<readonly [string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [flat[index]!, flat[index + 1]!]
}

/** A model can tell its user that a server is down. */
function toToolError(error: unknown): never {
  const { cause } = error as { cause?: unknown }
  if (cause instanceof RemoteUnavailable) throw new ToolError(cause.message, { cause })
  throw error
}

function toMcpError(error: unknown): never {
  throw new McpError(errorCode.internal, (error as Error).message, undefined, { cause: error })
}
