import type { ServerContext } from '@modelcontextprotocol/server'
import { RequestContext } from '../host/request-context.ts'
import { eraOf, type Version } from '../protocol/version.ts'
import type { Host } from '../host/host.ts'
import { Toolkit } from '../server/toolkit.ts'
import type { Link } from './link.ts'

/** Looks into the server under test: state and tools as this client has them. */
export class ServerInspector {
  readonly #host: Host
  readonly #link: Link
  readonly #version: Version

  constructor(host: Host, link: Link, version: Version) {
    this.#host = host
    this.#link = link
    this.#version = version
  }

  async state(): Promise<unknown> {
    const { by = 'connection' } = this.#host.stateOptions ?? {}
    if (by === 'connection' && this.#link.peer.kind === 'http' && eraOf(this.#version) === 'modern') {
      throw new Error(
        "Over HTTP each modern request has a state of its own, which ends with it. Set the server's state.by.",
      )
    }
    return this.#context().state.get()
  }

  /** Legacy clients get a structured result that is no object inside one: this undoes it. */
  async unwrap(tool: string, structured: unknown): Promise<unknown> {
    const behaviour: unknown = this.#host.behaviour
    if (structured === undefined || eraOf(this.#version) === 'modern' || !(behaviour instanceof Toolkit))
      return structured
    const found = await behaviour.catalog.find('tool', tool, this.#context())
    const schema = found?.descriptor.outputSchema
    const isWrapped = schema !== undefined && (schema as { type?: unknown }).type !== 'object'
    return isWrapped ? (structured as { result: unknown }).result : structured
  }

  #context(): RequestContext {
    const { peer } = this.#link
    const mcpReq = { signal: new AbortController().signal, envelope: {} }
    return new RequestContext(
      this.#host,
      { jsonrpc: '2.0', id: 'test', method: 'test' },
      // Nothing is asked or sent from here, so that no more of the SDK is needed.
      {
        sdk: { mcpReq } as unknown as ServerContext,
        server: undefined as never,
        peer,
        origin: peer,
        version: this.#version,
        connection: this.#link.connection(),
      },
    )
  }
}
