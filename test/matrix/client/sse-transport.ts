import { SseParser } from '../../../packages/hub/src/wire/index.ts'
import type { WireMessage } from '../wire-message.ts'
import type { ClientTransport, TransportEvents } from './client-transport.ts'

const maxEventBytes = 4 * 1024 * 1024

/** HTTP+SSE of 2024-11-05. */
export class SseTransport implements ClientTransport {
  readonly kind = 'sse'
  readonly #url: string
  readonly #closing = new AbortController()
  #endpoint: URL | null = null

  constructor(url: string) {
    this.#url = url
  }

  async open(events: TransportEvents): Promise<void> {
    const response = await fetch(this.#url, {
      headers: { accept: 'text/event-stream' },
      signal: this.#closing.signal,
    })
    if (response.status !== 200) throw new Error(`GET ${this.#url} was answered with HTTP ${response.status}.`)
    await new Promise<void>((resolve, reject) => {
      const parser = new SseParser((event) => {
        const data = event.data.toString('utf8')
        if (event.type === 'endpoint') {
          this.#endpoint = new URL(data, this.#url)
          return resolve()
        }
        events.onMessage(JSON.parse(data) as WireMessage)
      }, maxEventBytes)
      const ended = (error: Error) => {
        reject(error)
        if (!this.#closing.signal.aborted) events.onFailure(null, error)
      }
      readAll(response, parser).then(() => ended(new Error('The event stream ended.')), ended)
    })
  }

  async send(message: WireMessage | readonly WireMessage[]): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(this.#endpoint!, { method: 'POST', headers, body: JSON.stringify(message) })
    const text = await response.text()
    if (response.ok) return
    const error = new Error(`HTTP ${response.status}: ${text}`)
    throw text.startsWith('{') ? Object.assign(error, (JSON.parse(text) as WireMessage).error) : error
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }
}

async function readAll(response: Response, parser: SseParser): Promise<void> {
  for await (const chunk of response.body!) parser.push(Buffer.from(chunk as Uint8Array))
}
