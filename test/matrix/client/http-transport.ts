import { SseParser } from '../../../packages/hub/src/wire/index.ts'
import { isModern, knows, type Revision } from '../revision.ts'
import { isObject, type RequestId, type WireMessage } from '../wire-message.ts'
import type { ClientTransport, TransportEvents } from './client-transport.ts'

const maxEventBytes = 4 * 1024 * 1024

/** Streamable HTTP, as a client of the given revision speaks it. */
export class HttpTransport implements ClientTransport {
  readonly kind = 'http'
  readonly #url: string
  readonly #revision: Revision
  readonly #streams = new Map<RequestId, AbortController>()
  readonly #closing = new AbortController()
  #events: TransportEvents | null = null
  #session: string | null = null
  #agreed: string | null = null

  constructor(url: string, revision: Revision) {
    this.#url = url
    this.#revision = revision
  }

  async open(events: TransportEvents): Promise<void> {
    this.#events = events
  }

  agreed(revision: string): void {
    this.#agreed = revision
  }

  async send(message: WireMessage | readonly WireMessage[], headers: Record<string, string> = {}): Promise<void> {
    const id = requestIdOf(message)
    const cut = new AbortController()
    if (id !== null) this.#streams.set(id, cut)
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...this.#own(),
          ...headers,
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([cut.signal, this.#closing.signal]),
      })
      this.#session ??= isModern(this.#revision) ? null : response.headers.get('mcp-session-id')
      // The answer may take long and needs others to be sent before it comes.
      void this.#read(response, id).finally(() => id !== null && this.#streams.delete(id))
    } catch (error) {
      if (!cut.signal.aborted && !this.#closing.signal.aborted) throw error
    }
  }

  async listen(): Promise<void> {
    const headers = { accept: 'text/event-stream', ...this.#own() }
    const response = await fetch(this.#url, { headers, signal: this.#closing.signal })
    if (response.status !== 200) throw new Error(`GET was answered with HTTP ${response.status}.`)
    void this.#readEvents(response, null)
  }

  abandon(id: RequestId): void {
    this.#streams.get(id)?.abort()
  }

  async close(): Promise<void> {
    if (this.#session !== null) {
      const response = await fetch(this.#url, { method: 'DELETE', headers: this.#own() })
      await response.text()
    }
    this.#closing.abort()
  }

  #own(): Record<string, string> {
    return {
      ...(this.#session !== null && { 'mcp-session-id': this.#session }),
      // Older clients do not know the header.
      ...(this.#agreed !== null && knows(this.#revision, 'revisionHeader') && { 'mcp-protocol-version': this.#agreed }),
    }
  }

  async #read(response: Response, id: RequestId | null): Promise<void> {
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return this.#readEvents(response, id)
    try {
      const text = await response.text()
      if (text === '' && response.status === 202) return
      const value: unknown = JSON.parse(text)
      if (isObject(value) && isObject(value['error']) && (value['id'] === null || value['id'] === undefined)) {
        const message = `HTTP ${response.status}: ${String(value['error']['message'])}`
        return this.#events!.onFailure(id, Object.assign(new Error(message), { code: value['error']['code'] }))
      }
      this.#events!.onMessage(value as WireMessage)
    } catch (error) {
      this.#failed(id, error)
    }
  }

  async #readEvents(response: Response, id: RequestId | null): Promise<void> {
    const parser = new SseParser((event) => {
      if (event.data.length > 0) this.#events!.onMessage(JSON.parse(event.data.toString('utf8')) as WireMessage)
    }, maxEventBytes)
    try {
      for await (const chunk of response.body!) parser.push(Buffer.from(chunk as Uint8Array))
      // Whoever has its answer already does not care; anybody else waits in vain.
      if (id !== null) this.#events!.onFailure(id, new Error('The stream ended without an answer.'))
    } catch (error) {
      this.#failed(id, error)
    }
  }

  #failed(id: RequestId | null, error: unknown): void {
    const isOurs = this.#closing.signal.aborted || (id !== null && this.#streams.get(id)?.signal.aborted === true)
    if (!isOurs) this.#events!.onFailure(id, error instanceof Error ? error : new Error(String(error)))
  }
}

function requestIdOf(message: WireMessage | readonly WireMessage[]): RequestId | null {
  const first = (Array.isArray(message) ? message.find(({ id }) => id !== undefined) : message) as
    | WireMessage
    | undefined
  return first?.method === undefined ? null : (first.id ?? null)
}
