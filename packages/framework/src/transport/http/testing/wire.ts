import { encodeHeaderValue } from '../../../wire/header-value.ts'
import { metaKeys } from '../../../wire/meta.ts'
import { modernVersion } from '../../../protocol/version.ts'

type Headers = Readonly<Record<string, string>>

const postHeaders: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

export const envelope = {
  [metaKeys.revision]: modernVersion,
  [metaKeys.clientInfo]: { name: 'wire', version: '1' },
  [metaKeys.clientCapabilities]: {},
}

/** Posts as it is: text, or a value as JSON. Headers may be overwritten. */
export function post(url: URL, body: unknown, headers: Headers = {}, signal?: AbortSignal): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(url, { method: 'POST', headers: { ...postHeaders, ...headers }, body: text, signal: signal ?? null })
}

export function modernRequest(method: string, params: Record<string, unknown> = {}, id: string | number = 1) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope, ...(params['_meta'] as object) } } }
}

export function modernHeaders({ method, params }: ReturnType<typeof modernRequest>): Record<string, string> {
  const name = (params as Record<string, unknown>)['name'] ?? (params as Record<string, unknown>)['uri']
  return {
    'mcp-protocol-version': modernVersion,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

/** Sends a modern request as a conforming client does. */
export function ask(
  url: URL,
  method: string,
  params: Record<string, unknown> = {},
  options: { headers?: Headers; signal?: AbortSignal; id?: string | number } = {},
): Promise<Response> {
  const request = modernRequest(method, params, options.id)
  return post(url, request, { ...modernHeaders(request), ...options.headers }, options.signal)
}

export function callAdd(url: URL, headers: Headers = {}): Promise<Response> {
  return ask(url, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, { headers })
}

export function initializeRequest(version: string, capabilities: object = {}) {
  const clientInfo = { name: 'wire', version: '1' }
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo },
  }
}

export interface Opened {
  readonly id: string
  readonly headers: Record<string, string>
}

/** Opens a legacy connection. */
export async function initialize(
  url: URL,
  version = '2025-11-25',
  { capabilities = {}, headers = {} }: { capabilities?: object; headers?: Headers } = {},
): Promise<Opened> {
  const response = await post(url, initializeRequest(version, capabilities), headers)
  const id = response.headers.get('mcp-session-id')
  const text = await response.text()
  if (response.status !== 200 || id === null)
    throw new Error(`initialize was answered with ${response.status}: ${text}`)
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version }
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own)
  return { id, headers: own }
}

export interface WireEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
}

/** Reads the events of a stream one by one; undefined at its end. Comments are left out. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    const body = response.body as ReadableStream<Uint8Array> | null
    if (body === null) throw new Error(`The answer ${response.status} has no body.`)
    this.#reader = body.getReader()
  }

  /** The next event that carries a message. */
  async message(): Promise<{ id: string | undefined; value: Record<string, unknown> } | undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.data !== undefined && event.data !== '') return { id: event.id, value: JSON.parse(event.data) }
    }
    return undefined
  }

  async next(): Promise<WireEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        if (!block.startsWith(':')) return readBlock(block)
        continue
      }
      const { value, done } = await this.#reader.read()
      if (done) return undefined
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** Breaks the stream off, as a lost network does. */
  cut(): Promise<void> {
    return this.#reader.cancel()
  }
}

function readBlock(block: string): WireEvent {
  const fields = block.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
  })
  return Object.fromEntries(fields)
}

export async function listenOn(url: URL, opened: Opened, headers: Headers = {}): Promise<Response> {
  return fetch(url, { headers: { accept: 'text/event-stream', ...opened.headers, ...headers } })
}
