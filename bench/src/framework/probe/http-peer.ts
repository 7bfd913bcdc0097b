import { request, type ClientRequest, type IncomingHttpHeaders } from 'node:http'
import { CLIENT_INFO, MODERN_META, MODERN_REVISION, type RpcMessage } from '../../wire/protocol.ts'
import type { Params } from '../stdio-peer.ts'

/** One HTTP request that is under way: its head when it came, and its messages as they come. */
export interface Exchange {
  head: Promise<{ status: number; headers: IncomingHttpHeaders }>
  /** Resolves with the first message that fits; rejects when the stream ends, or takes too long, without one. */
  find(fits: (message: RpcMessage) => boolean): Promise<RpcMessage>
  /** Resolves when the answer has ended. */
  ended: Promise<void>
  messages: RpcMessage[]
  /** Ids of the events of a stream, in their order. */
  eventIds: string[]
  drop(): void
}

const WAIT_MS = 4000
const ACCEPT = 'application/json, text/event-stream'

/** A client over Streamable HTTP that shows everything, and hides nothing of a server's mistakes. */
export class HttpPeer {
  readonly url: string
  #headers: Record<string, string> = {}
  #lastId = 0
  readonly #open = new Set<ClientRequest>()

  constructor(url: string) {
    this.url = url
  }

  /** Opens as a legacy client; answers with the revision that the server chose. */
  async initialize(protocolVersion: string, capabilities: object = {}): Promise<string> {
    const params = { protocolVersion, capabilities, clientInfo: CLIENT_INFO }
    const exchange = this.post({ jsonrpc: '2.0', id: ++this.#lastId, method: 'initialize', params })
    const { result, error } = await exchange.find(({ id }) => id === this.#lastId)
    if (!result) throw new Error(`initialize was refused: ${JSON.stringify(error)}`)
    const session = (await exchange.head).headers['mcp-session-id']
    this.#headers = { 'mcp-protocol-version': String(result.protocolVersion) }
    if (typeof session === 'string') this.#headers['mcp-session-id'] = session
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }).head
    return String(result.protocolVersion)
  }

  /** Sends a request of a legacy client. */
  start(method: string, params: Params): { id: number; exchange: Exchange } {
    const id = ++this.#lastId
    return { id, exchange: this.post({ jsonrpc: '2.0', id, method, params }) }
  }

  /** Sends a request of a modern client. */
  startModern(method: string, { _meta, ...params }: Params, capabilities: object = {}) {
    const id = ++this.#lastId
    const meta = {
      ...MODERN_META,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...(_meta as object | undefined),
    }
    const headers: Record<string, string> = { 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': method }
    if (typeof params.name === 'string') headers['mcp-name'] = params.name
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }
    return { id, exchange: this.post(message, headers) }
  }

  async request(method: string, params: Params): Promise<RpcMessage> {
    const { id, exchange } = this.start(method, params)
    return exchange.find((message) => message.id === id && message.method === undefined)
  }

  async requestModern(method: string, params: Params, capabilities?: object): Promise<RpcMessage> {
    const { id, exchange } = this.startModern(method, params, capabilities)
    return exchange.find((message) => message.id === id && message.method === undefined)
  }

  post(message: object, headers: Record<string, string> = this.#headers): Exchange {
    const sent = { 'content-type': 'application/json', accept: ACCEPT, ...headers }
    return this.#exchange('POST', sent, JSON.stringify(message))
  }

  /** The stream on which a legacy server speaks unasked, or goes on after `lastEventId`. */
  listen(lastEventId?: string): Exchange {
    const resumed: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return this.#exchange('GET', { accept: 'text/event-stream', ...this.#headers, ...resumed })
  }

  close(): void {
    for (const each of this.#open) each.destroy()
  }

  #exchange(method: string, headers: Record<string, string>, body?: string): Exchange {
    const messages: RpcMessage[] = []
    const eventIds: string[] = []
    const looking = new Set<() => void>()
    const look = () => looking.forEach((each) => each())
    const http = request(this.url, { method, headers, agent: false })
    this.#open.add(http)
    const head = new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
      http.once('response', (response) => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
      http.once('error', reject)
    })
    head.catch(() => {})
    const ended = new Promise<void>((resolve) => http.once('close', () => resolve()))
    http.once('response', (response) => {
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false
      const read = isStream ? readEvents(messages, eventIds) : readJson(messages)
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        read(text)
        look()
      })
      // Dropping a stream makes its response fail, which is intended.
      response.on('error', () => {})
    })
    http.end(body)
    const find = (fits: (message: RpcMessage) => boolean) =>
      new Promise<RpcMessage>((resolve, reject) => {
        const stop = () => {
          looking.delete(check)
          clearTimeout(timer)
        }
        const fail = () => {
          stop()
          reject(new Error(`no such message came, but ${JSON.stringify(messages).slice(0, 400)}`))
        }
        const check = () => {
          const found = messages.find(fits)
          if (!found) return
          stop()
          resolve(found)
        }
        const timer = setTimeout(fail, WAIT_MS)
        looking.add(check)
        check()
        void ended.then(() => (messages.some(fits) ? check() : fail()))
        head.catch(fail)
      })
    return { head, find, ended, messages, eventIds, drop: () => http.destroy() }
  }
}

function readJson(messages: RpcMessage[]): (text: string) => void {
  let all = ''
  return (text) => {
    all += text
    try {
      messages.push(...[JSON.parse(all) as RpcMessage | RpcMessage[]].flat())
    } catch {
      // Not whole yet, or no JSON: then no message is found, and the error of the search shows that.
    }
  }
}

function readEvents(messages: RpcMessage[], ids: string[]): (text: string) => void {
  let rest = ''
  return (text) => {
    const events = (rest + text).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/)
      const id = lines
        .find((line) => line.startsWith('id:'))
        ?.slice(3)
        .trim()
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim())
      if (id) ids.push(id)
      if (data.join('') !== '') messages.push(...[JSON.parse(data.join('\n')) as RpcMessage | RpcMessage[]].flat())
    }
  }
}
