import type { JSONRPCRequest, ReadResourceResult, Result } from '@modelcontextprotocol/server'
import type { Component, ComponentOf, Provider } from '../component/component.ts'
import type { Kind } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import { RequestContext } from '../host/request-context.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Change } from '../connection/change.ts'
import type { Host } from '../host/host.ts'
import { hostOf } from './served.ts'
import { Toolkit } from './toolkit.ts'
import { mountProvider, type MountOptions } from '../compose/mount-provider.ts'

/** Another app as a provider. Its own middleware, state and timeouts apply to what it offers. */
export function mountApp(child: object, options: MountOptions): Provider {
  const host = hostOf(child)
  const toolkit = host.behaviour as unknown
  if (!(toolkit instanceof Toolkit)) {
    throw new ConfigError('Only a server made with server() can be mounted.', 'Use remote() for a low-level one.')
  }
  return mountProvider(new AppProvider(host, toolkit), options)
}

class AppProvider implements Provider {
  readonly #host: Host
  readonly #toolkit: Toolkit

  constructor(host: Host, toolkit: Toolkit) {
    this.#host = host
    this.#toolkit = toolkit
  }

  async list<K extends Kind>(kind: K, context: Context): Promise<readonly ComponentOf<K>[]> {
    const listed = await this.#toolkit.catalog.list(kind, context)
    return listed.map((component) => this.#through(component as Component)) as unknown as ComponentOf<K>[]
  }

  async find<K extends 'tool' | 'prompt'>(kind: K, id: string, context: Context): Promise<ComponentOf<K> | undefined> {
    const found = await this.#toolkit.catalog.find(kind, id, context)
    return found && (this.#through(found) as ComponentOf<K>)
  }

  async findResource(uri: string, context: Context) {
    const found = await this.#toolkit.catalog.findResource(uri, context)
    return found && (this.#through(found) as typeof found)
  }

  onChange(changed: (kind: Kind) => void): () => void {
    return this.#host.changes.subscribe((change) => {
      const kind = kindOf(change)
      if (kind !== undefined) changed(kind)
    })
  }

  async stop(): Promise<void> {
    await this.#host.idle()
  }

  /** The component, run by its own server. */
  #through(component: Component): Component {
    switch (component.kind) {
      case 'tool': {
        const run: typeof component.run = (args, context) =>
          this.#ask('tools/call', { name: component.id, arguments: args }, context)
        return { ...component, run }
      }
      case 'prompt': {
        const run: typeof component.run = (args, context) =>
          this.#ask('prompts/get', { name: component.id, arguments: args }, context)
        return { ...component, run }
      }
      default: {
        const run = (uri: string, context: Context) => this.#ask<ReadResourceResult>('resources/read', { uri }, context)
        return { ...component, run }
      }
    }
  }

  async #ask<R extends Result>(method: string, params: object, context: Context): Promise<R> {
    const outer = context as RequestContext
    const request = { jsonrpc: '2.0', id: outer.requestId, method, params } as JSONRPCRequest
    return (await this.#host.answer(new RequestContext(this.#host, request, outer.source, outer))) as R
  }
}

function kindOf({ method }: Change): Kind | undefined {
  if (method === 'notifications/tools/list_changed') return 'tool'
  if (method === 'notifications/prompts/list_changed') return 'prompt'
  return method === 'notifications/resources/list_changed' ? 'resource' : undefined
}
