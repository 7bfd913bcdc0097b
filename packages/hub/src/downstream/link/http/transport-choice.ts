import type { Transport } from '@herma/contract'
import type { HttpRefusal, Link } from '../link.ts'

/**
 * Which transport the server of a connector speaks. An address of Streamable HTTP may be one of HTTP+SSE: it is tried as
 * such after a refusal, and remembered, as the specification wants of clients:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export class TransportChoice {
  /** The one to begin with. */
  current: Transport
  readonly #isOpen: boolean

  /** `remembered` is what was spoken when the server was last seen. */
  constructor(
    { transport, options }: { readonly transport: Transport; readonly options: { readonly era: string } },
    remembered: Transport | null,
  ) {
    // HTTP+SSE was gone before the modern era began.
    this.#isOpen = transport === 'stream' && options.era !== 'modern'
    this.current = this.#isOpen && remembered === 'sse' ? 'sse' : transport
  }

  /** What to try at once when this link could not be opened; null where that would not help. */
  after(link: Link): Transport | null {
    if (!this.#isOpen) return null
    if (link.settings.transport === 'sse') return 'stream'
    return link.refusal !== null && isOfOlderServer(link.refusal) ? 'sse' : null
  }

  opened(link: Link): void {
    this.current = link.settings.transport
  }
}

/** A server that answers in JSON-RPC speaks Streamable HTTP, whatever it says. */
function isOfOlderServer({ status, isRpc }: HttpRefusal): boolean {
  return !isRpc && (status === 400 || status === 404 || status === 405)
}
