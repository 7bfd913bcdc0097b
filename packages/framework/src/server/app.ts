import type { JSONRPCRequest, Result } from '@modelcontextprotocol/server'
import type { Provider } from '../component/component.ts'
import type {
  AnyType,
  Kind,
  PromptDefinition,
  PromptHandler,
  ResourceDefinition,
  ResourceHandler,
  ToolDefinition,
  ToolHandler,
  Tools,
  ToolSignature,
} from '../component/define.ts'
import { makePrompt } from '../component/make-prompt.ts'
import { makeResource } from '../component/make-resource.ts'
import { makeTool } from '../component/make-tool.ts'
import { mountApp } from './mount-app.ts'
import { mountProvider, type MountOptions } from '../compose/mount-provider.ts'
import type { Context } from '../context/context.ts'
import { componentsOf, type ToolsIn } from '../decorator/index.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Schema } from '../schema/schema.ts'
import type { Behaviour } from '../host/behaviour.ts'
import { Host } from '../host/host.ts'
import type { Middleware } from './middleware.ts'
import { makeServed, type Served } from './served.ts'
import type { RunOptions, ServerOptions } from '../host/settings.ts'
import { Toolkit } from './toolkit.ts'

/** Something that is added to a server as a whole: methods, middleware and components together. */
export interface Plugin {
  readonly name: string
  install(app: App<AnyType, AnyType>): void
}

/** An app whatever its tools and state: for functions that take or make any. */
export type AnyApp = App<AnyType, AnyType>

/** A server under construction and, at any time, ready to be served. `T` are its tools, `S` is its state. */
export interface App<T extends Tools = {}, S = unknown> extends Served {
  tool<
    const Name extends string,
    Input extends Schema | undefined = undefined,
    Output extends Schema | undefined = undefined,
  >(
    name: Name,
    definition: ToolDefinition<Input, Output, S>,
    handler: ToolHandler<Input, Output, S>,
  ): App<T & { [K in Name]: ToolSignature<Input, Output> }, S>
  /** A resource, or a template when the URI has variables in braces. */
  resource<const Uri extends string>(
    uri: Uri,
    definition: ResourceDefinition<S>,
    handler: ResourceHandler<Uri, S>,
  ): App<T, S>
  prompt<Args extends Schema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<Args, S>,
    handler: PromptHandler<Args, S>,
  ): App<T, S>
  /** Adds what a decorated instance declares. */
  add<Instance extends object>(instance: Instance): App<T & ToolsIn<Instance>, S>
  /** Takes a component away while serving; clients are told. False when there was none. */
  remove(kind: Kind, id: string): boolean
  use(middleware: Middleware): this
  use<const M extends string>(method: M, middleware: Middleware<M>): this
  /** Answers a method of your own, or of an extension. */
  method(method: string, handler: (request: JSONRPCRequest, context: Context<S>) => Promise<Result> | Result): this
  /** Declares an extension among the capabilities. */
  extension(id: string, settings?: object): this
  plugin(plugin: Plugin): this
  /** Offers everything of another server too, under `namespace_` if one is given. */
  mount<T2 extends Tools, const Namespace extends string = ''>(
    child: App<T2, AnyType>,
    options?: MountOptions & { readonly namespace?: Namespace },
  ): App<T & Namespaced<T2, Namespace>, S>
  mount(provider: Provider, options?: MountOptions): App<T, S>
}

export type Namespaced<T, Namespace extends string> = Namespace extends ''
  ? T
  : { [K in keyof T as `${Namespace}_${string & K}`]: T[K] }

/** Begins a server. Add tools, resources and prompts, then serve it with `stdio()`, `http()` or `connect()`. */
export function server<S = undefined>(options: ServerOptions<S>): App<{}, S> {
  const toolkit = new Toolkit(options)
  const host = new Host(toolkit, options, 'parallel')
  return makeServed(new Builder(toolkit, host), host)
}

/** Serves a low-level `Behaviour`. Its requests run one after another for each connection, unless said otherwise. */
export function serverOf<S>(behaviour: Behaviour<S>, options: RunOptions<S> = {}): Served {
  const host = new Host(behaviour as Behaviour<never>, options, 'serial')
  return makeServed({}, host)
}

const kindNotice = {
  tool: 'toolsChanged',
  prompt: 'promptsChanged',
  resource: 'resourcesChanged',
  template: 'resourcesChanged',
} as const

/** The mutable half of an app. Its types are those of `App`. */
class Builder {
  readonly #toolkit: Toolkit
  readonly #host: Host
  readonly #mounted: object[] = []

  constructor(toolkit: Toolkit, host: Host) {
    this.#toolkit = toolkit
    this.#host = host
  }

  tool(
    name: string,
    definition: ToolDefinition<AnyType, AnyType, AnyType>,
    handler: (args: never, context: never) => unknown,
  ): this {
    return this.#add(makeTool(name, definition, handler))
  }

  resource(
    uri: string,
    definition: ResourceDefinition<AnyType>,
    handler: (variables: never, context: never) => AnyType,
  ): this {
    return this.#add(makeResource(uri, definition, handler))
  }

  prompt(
    name: string,
    definition: PromptDefinition<AnyType, AnyType>,
    handler: (args: never, context: never) => AnyType,
  ): this {
    return this.#add(makePrompt(name, definition, handler))
  }

  add(instance: object): this {
    for (const declared of componentsOf(instance)) {
      if (declared.kind === 'tool') this.tool(declared.name, declared.definition, declared.handler)
      else if (declared.kind === 'prompt') this.prompt(declared.name, declared.definition, declared.handler)
      else this.resource(declared.uri, declared.definition, declared.handler)
    }
    return this
  }

  remove(kind: Kind, id: string): boolean {
    const isRemoved = this.#toolkit.catalog.remove(kind, id)
    if (isRemoved) this.#changed(kind)
    return isRemoved
  }

  use(first: string | Middleware, second?: Middleware): this {
    const [method, run] = typeof first === 'string' ? [first, second] : [undefined, first]
    if (typeof run !== 'function') {
      throw new ConfigError('use() needs a function.', 'Write use((request, next) => next()), or a method before it.')
    }
    this.#toolkit.middleware.add(method, run)
    return this
  }

  method(method: string, handler: (request: JSONRPCRequest, context: never) => Promise<Result> | Result): this {
    this.#toolkit.onMethod(method, handler as never)
    this.#host.modern.renew()
    return this
  }

  extension(id: string, settings: object = {}): this {
    this.#toolkit.extensions[id] = settings
    this.#host.modern.renew()
    return this
  }

  plugin(plugin: Plugin): this {
    plugin.install(this as never)
    return this
  }

  mount(child: object, options: MountOptions = {}): this {
    if (child instanceof Builder && child.#reaches(this)) {
      throw new ConfigError('A server cannot be mounted into itself, nor by way of others.', 'Break the circle.')
    }
    this.#mounted.push(child)
    const isProvider = 'findResource' in child
    const provider = isProvider ? mountProvider(child as Provider, options) : mountApp(child, options)
    this.#toolkit.catalog.addProvider(provider)
    provider.onChange?.((kind) => this.#changed(kind))
    this.#host.onIdle(() => provider.stop?.())
    this.#host.modern.renew()
    return this
  }

  #add(component: ReturnType<typeof makeTool> | ReturnType<typeof makeResource> | ReturnType<typeof makePrompt>): this {
    this.#toolkit.catalog.add(component)
    this.#changed(component.kind)
    return this
  }

  #reaches(other: Builder): boolean {
    return this === other || this.#mounted.some((child) => child instanceof Builder && child.#reaches(other))
  }

  #changed(kind: Kind): void {
    this.#host.modern.renew()
    this.#host.notify[kindNotice[kind]]()
  }
}
