import {
  encodeHeaderValue,
  metaKeys,
  modernRevision,
  SseParser,
  type SseEvent,
} from '../../packages/hub/src/wire/index.ts'

type Json = Record<string, unknown>

/** A JSON-RPC message as it came. */
export interface WireMessage {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { code: number; message: string }
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  /** Null for an empty body. */
  readonly message: WireMessage | null
}

/** A client that sees every byte: for what the SDKs hide, such as sockets, event ids and status codes. */
export class WireClient {
  readonly #endpoint: URL
  readonly #headers: Record<string, string>
  #lastId = 0

  constructor(endpoint: URL, headers: Record<string, string> = {}) {
    this.#endpoint = endpoint
    this.#headers = headers
  }

  /** Opens a legacy connection. */
  static async connect(
    endpoint: URL,
    revision = '2025-11-25',
    introduced: Partial<Introduced> = {},
  ): Promise<WireClient & { id: string }> {
    const answer = await initialize(endpoint, revision, introduced)
    const id = answer.headers.get('mcp-session-id')
    if (answer.status !== 200 || id === null) throw new Error(`initialize was answered with HTTP ${answer.status}`)
    const agreed = String(answer.message!.result!['protocolVersion'])
    const client = new WireClient(endpoint, { 'mcp-session-id': id, 'mcp-protocol-version': agreed })
    await client.notify('notifications/initialized')
    return Object.assign(client, { id })
  }

  /** The same client at another place, or with other headers. */
  as(endpoint: URL, headers: Record<string, string> = {}): WireClient {
    return new WireClient(endpoint, { ...this.#headers, ...headers })
  }

  async request(method: string, params?: Json): Promise<WireAnswer> {
    return readAnswer(await this.#post({ jsonrpc: '2.0', id: ++this.#lastId, method, params }))
  }

  /** A request that stands alone, as every one of 2026-07-28 does. */
  requestModern(method: string, params: Json = {}, capabilities: Json = {}): Promise<WireAnswer> {
    const name = params['name'] ?? params['uri']
    const headers = {
      'mcp-protocol-version': modernRevision,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
    }
    const _meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: capabilities }
    const message = { jsonrpc: '2.0', id: ++this.#lastId, method, params: { ...params, _meta } }
    return this.#post(message, headers).then(readAnswer)
  }

  /** Sends what is neither a request nor a notification, or several at once. */
  async send(message: object): Promise<WireAnswer> {
    return readAnswer(await this.#post(message))
  }

  async notify(method: string, params?: Json): Promise<WireAnswer> {
    return readAnswer(await this.#post({ jsonrpc: '2.0', method, params }))
  }

  /** A request whose answer is read event by event. */
  async requestStream(method: string, params?: Json): Promise<WireStream> {
    const cut = new AbortController()
    const message = { jsonrpc: '2.0', id: ++this.#lastId, method, params }
    return new WireStream(await this.#post(message, {}, cut.signal), cut)
  }

  /** The stream for what belongs to no request, or the rest of another one. */
  async listen(lastEventId?: string): Promise<WireStream> {
    const cut = new AbortController()
    const headers = {
      ...this.#headers,
      accept: 'text/event-stream',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    }
    return new WireStream(await fetch(this.#endpoint, { headers, signal: cut.signal }), cut)
  }

  async delete(): Promise<WireAnswer> {
    return readAnswer(await fetch(this.#endpoint, { method: 'DELETE', headers: this.#headers }))
  }

  #post(message: object, headers: Record<string, string> = {}, signal: AbortSignal | null = null): Promise<Response> {
    const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify(message)
    return fetch(this.#endpoint, { method: 'POST', headers: { ...own, ...this.#headers, ...headers }, body, signal })
  }
}

/** The names in an answer to tools/list. */
export function toolNames(answer: WireAnswer): string[] {
  return (resultOf(answer)['tools'] as { name: string }[]).map(({ name }) => name)
}

/** The text in an answer to tools/call. */
export function textOf(answer: Pick<WireAnswer, 'message'>): string {
  return (resultOf(answer)['content'] as { text: string }[])[0]!.text
}

function resultOf({ message }: Pick<WireAnswer, 'message'>): Json {
  if (message?.result === undefined) throw new Error(`There is no result in ${JSON.stringify(message)}.`)
  return message.result
}

/** What a legacy client says of itself. */
interface Introduced {
  readonly name: string
  readonly capabilities: Json
}

export function initialize(endpoint: URL, revision: string, client: Partial<Introduced> = {}): Promise<WireAnswer> {
  const { name = 'wire', capabilities = {} } = client
  const clientInfo = { name, version: '1.0.0' }
  return new WireClient(endpoint).request('initialize', { protocolVersion: revision, capabilities, clientInfo })
}

/** The events of one response. */
export class WireStream {
  readonly status: number
  readonly headers: Headers
  /** Lines that are no events and only keep the stream alive. */
  readonly comments: string[] = []
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #cut: AbortController
  readonly #events: SseEvent[] = []
  readonly #parser = new SseParser((event) => void this.#events.push(event), 1024 * 1024)

  constructor(response: Response, cut: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#reader = response.body!.getReader()
    this.#cut = cut
  }

  /** The next event that carries a message; undefined at the end. */
  async next(): Promise<{ id: string | undefined; message: WireMessage } | undefined> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined && event.data.length > 0) {
        return { id: event.id, message: JSON.parse(event.data.toString('utf8')) as WireMessage }
      }
      if (event === undefined && !(await this.#read())) return undefined
    }
  }

  /** Every message until the end. */
  async rest(): Promise<WireMessage[]> {
    const messages: WireMessage[] = []
    for (let event = await this.next(); event !== undefined; event = await this.next()) messages.push(event.message)
    return messages
  }

  /** Reads until a comment has come. */
  async nextComment(): Promise<string> {
    while (this.comments.length === 0) if (!(await this.#read())) throw new Error('the stream ended without a comment')
    return this.comments[0]!
  }

  /** Breaks the socket, as a network does. */
  cut(): void {
    this.#cut.abort()
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (done) return false
    const chunk = Buffer.from(value)
    this.comments.push(
      ...chunk
        .toString('utf8')
        .split('\n')
        .filter((line) => line.startsWith(':')),
    )
    this.#parser.push(chunk)
    return true
  }
}

async function readAnswer(response: Response): Promise<WireAnswer> {
  const { status, headers } = response
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    const messages = await new WireStream(response, new AbortController()).rest()
    return { status, headers, message: messages.find((message) => message.method === undefined) ?? null }
  }
  const text = await response.text()
  return { status, headers, message: text === '' ? null : (JSON.parse(text) as WireMessage) }
}
