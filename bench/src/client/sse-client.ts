import { request as httpRequest, type ClientRequest } from 'node:http'
import { CLIENT_INFO, SSE_REVISION } from '../wire/protocol.ts'
import { HttpConnection } from './http-connection.ts'
import { eventData, requestResult, type McpClient, type Reply } from './mcp-client.ts'
import { PendingReplies } from './pending-replies.ts'

/** An HTTP+SSE client (revision 2024-11-05): requests go out as POSTs, answers come back on one long GET. */
export class SseClient implements McpClient {
  readonly canShare = false
  readonly #url: string
  readonly #timeoutMs: number
  readonly #pending: PendingReplies
  #stream: ClientRequest | undefined
  #connection: HttpConnection | undefined
  #lastId = 0

  constructor(url: string, timeoutMs: number) {
    this.#url = url
    this.#timeoutMs = timeoutMs
    this.#pending = new PendingReplies(timeoutMs)
  }

  async open(): Promise<void> {
    const endpoint = await this.#openStream()
    this.#connection = new HttpConnection(new URL(endpoint, this.#url).href, this.#timeoutMs)
    const params = { protocolVersion: SSE_REVISION, capabilities: {}, clientInfo: CLIENT_INFO }
    await requestResult(this, 'initialize', params)
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  async request(method: string, params: Record<string, unknown>): Promise<Reply> {
    const id = ++this.#lastId
    const [reply] = await Promise.all([this.#pending.wait(id), this.#post({ jsonrpc: '2.0', id, method, params })])
    return reply
  }

  close(): Promise<void> {
    this.#stream?.destroy()
    this.#connection?.close()
    return Promise.resolve()
  }

  async #post(message: object): Promise<void> {
    const answer = await this.#connection?.request('POST', '', JSON.stringify(message))
    const status = Number(answer?.startLine.slice(9, 12))
    if (!(status >= 200 && status <= 299)) throw new Error(`HTTP ${status}: ${answer?.body.toString().slice(0, 200)}`)
  }

  /** Opens the stream and resolves with the address that its first event names. */
  #openStream(): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no endpoint event came')), this.#timeoutMs)
      const fail = (error: Error) => {
        clearTimeout(timer)
        reject(error)
        this.#pending.end(error)
      }
      const stream = httpRequest(this.#url, { headers: { accept: 'text/event-stream' }, agent: false }, (response) => {
        if (response.statusCode !== 200) return fail(new Error(`the event stream answered HTTP ${response.statusCode}`))
        const events = new EventReader((type, data) => {
          if (type !== 'endpoint') return this.#pending.receive(Buffer.from(data))
          clearTimeout(timer)
          resolve(data)
        })
        response.on('data', (chunk: Buffer) => events.push(chunk))
        response.on('close', () => fail(new Error('the event stream ended')))
      })
      stream.on('error', fail)
      stream.end()
      this.#stream = stream
    })
  }
}

/** Cuts a byte stream into server-sent events. */
class EventReader {
  readonly #onEvent: (type: string, data: string) => void
  #parts: Buffer[] = []

  constructor(onEvent: (type: string, data: string) => void) {
    this.#onEvent = onEvent
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk)
    // An event ends with an empty line; without a newline in this packet none can have ended.
    if (!chunk.includes(10)) return
    const text = Buffer.concat(this.#parts)
    let at = 0
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', at)) {
      const event = text.toString('utf8', at, end)
      at = end + 2
      const data = eventData(event)
      if (data.length > 0) this.#onEvent(/^event: ?(\w+)/m.exec(event)?.[1] ?? 'message', data)
    }
    this.#parts = at < text.length ? [text.subarray(at)] : []
  }
}
