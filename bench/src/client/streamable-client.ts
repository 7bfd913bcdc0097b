import { CLIENT_INFO, LEGACY_REVISION, MODERN_META, MODERN_REVISION } from '../wire/protocol.ts'
import { HttpConnection } from './http-connection.ts'
import { readMessages, type McpClient, type Reply } from './mcp-client.ts'

/** A Streamable HTTP client of either era on one connection. */
export class StreamableClient implements McpClient {
  readonly canShare = false
  readonly #connection: HttpConnection
  readonly #era: 'legacy' | 'modern'
  readonly #key: string
  #headers = `MCP-Protocol-Version: ${MODERN_REVISION}\r\n`
  #hasSession = false
  #lastId = 0

  constructor({ url, key }: { url: string; key?: string }, era: 'legacy' | 'modern', timeoutMs: number) {
    this.#connection = new HttpConnection(url, timeoutMs)
    this.#key = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
    this.#era = era
  }

  async open(): Promise<void> {
    if (this.#era === 'modern') return
    this.#headers = ''
    const id = ++this.#lastId
    const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT_INFO }
    const answer = await this.#post({ jsonrpc: '2.0', id, method: 'initialize', params })
    const message = readMessages({ id, ...answer }).find((candidate) => candidate.id === id)
    if (!message?.result) throw new Error(`initialize failed: ${answer.body.toString().slice(0, 200)}`)
    const session = answer.header('mcp-session-id')
    this.#hasSession = session !== undefined
    this.#headers = `MCP-Protocol-Version: ${String(message.result.protocolVersion)}\r\n`
    if (session !== undefined) this.#headers += `Mcp-Session-Id: ${session}\r\n`
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  async request(method: string, params: Record<string, unknown>): Promise<Reply> {
    const id = ++this.#lastId
    if (this.#era === 'legacy') return { id, ...(await this.#post({ jsonrpc: '2.0', id, method, params })) }
    const name = params.name === undefined ? '' : `Mcp-Name: ${String(params.name)}\r\n`
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: MODERN_META } }
    return { id, ...(await this.#post(message, `Mcp-Method: ${method}\r\n${name}`)) }
  }

  /** Closes the socket but not the session: a client that is idle, or gone. */
  disconnect(): void {
    this.#connection.close()
  }

  /** Headers for a request that somebody else makes in this session. */
  sessionHeaders(): Record<string, string> {
    return Object.fromEntries(
      this.#headers
        .trim()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]),
    )
  }

  async close(): Promise<void> {
    try {
      if (this.#hasSession) await this.#connection.request('DELETE', this.#key + this.#headers)
    } finally {
      this.#connection.close()
    }
  }

  async #post(message: object, extraHeaders = '') {
    const { startLine, header, body } = await this.#connection.request(
      'POST',
      this.#key + this.#headers + extraHeaders,
      JSON.stringify(message),
    )
    const status = Number(startLine.slice(9, 12))
    if (status < 200 || status > 299) throw new Error(`HTTP ${status}: ${body.toString().slice(0, 200)}`)
    return { header, body, isEventStream: header('content-type')?.startsWith('text/event-stream') ?? false }
  }
}
