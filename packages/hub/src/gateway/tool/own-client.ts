import { request as httpRequest, type IncomingMessage } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import { hubInfo } from '../../downstream/index.ts'
import { encodeHeaderValue, isObject, metaKeys, modernRevision, SseParser } from '../../wire/index.ts'
import { beginTrace, toTraceParent } from '../call/trace-context.ts'

interface OwnClientOptions {
  /** The address of this hub for itself. */
  origin(): string
  /** Lets the hub come in as somebody else, for as long as the work lasts. */
  lend<T>(principal: Principal, use: (pass: string) => Promise<T>): Promise<T>
}

export interface OwnRequest {
  /** Of the served server. */
  readonly path: string
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  /** Headers that mirror parameters. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface OwnAnswer {
  readonly traceId: string
  /** Null where the answer is an error. */
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error: { readonly code: number; readonly message: string } | null
  readonly ms: number
}

const answerLimitBytes = 67_108_864
/** An agent at work may take minutes. */
const limitMs = 600_000

/**
 * The hub as a client of its own servers, over HTTP like any other, on behalf of somebody. What it sends is marked as
 * passed on, so that nobody elsewhere gets what is only for programs of this machine.
 */
export class OwnClient {
  readonly #options: OwnClientOptions

  constructor(options: OwnClientOptions) {
    this.#options = options
  }

  /** An error answer is an answer; only what is no answer at all throws. */
  async request(principal: Principal, { path, method, params = {}, headers }: OwnRequest): Promise<OwnAnswer> {
    const trace = beginTrace(undefined)
    const name = [params['name'], params['uri']].find((each) => typeof each === 'string')
    const startedAt = performance.now()
    const message = await this.#send(principal, path, {
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernRevision,
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': encodeHeaderValue(name) }),
        traceparent: toTraceParent(trace),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: introduction } }),
    })
    const ms = Math.round(performance.now() - startedAt)
    const { result, error } = message
    if (isObject(result)) return { traceId: trace.traceId, result, error: null, ms }
    return { traceId: trace.traceId, result: null, error: readError(error), ms }
  }

  /** What a plain GET answers, whatever its status. */
  read(principal: Principal, path: string): Promise<Record<string, unknown>> {
    return this.#send(principal, path)
  }

  #send(principal: Principal, path: string, post?: Post): Promise<Record<string, unknown>> {
    return this.#options.lend(principal, async (pass) => {
      const url = new URL(path, this.#options.origin())
      const headers = { ...post?.headers, authorization: `Bearer ${pass}`, via: '1.1 herma' }
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { method: post === undefined ? 'GET' : 'POST', headers, signal: AbortSignal.timeout(limitMs) }
        httpRequest(url, options, resolve).on('error', reject).end(post?.body)
      })
      return readMessage(answer)
    })
  }
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const introduction = {
  [metaKeys.revision]: modernRevision,
  [metaKeys.clientInfo]: { ...hubInfo },
  // Nobody is there to answer questions.
  [metaKeys.clientCapabilities]: {},
}

async function readMessage(answer: IncomingMessage): Promise<Record<string, unknown>> {
  const isStream = (answer.headers['content-type'] ?? '').startsWith('text/event-stream')
  let last: unknown
  const parser = new SseParser(({ data }) => {
    const message: unknown = data.length === 0 ? null : JSON.parse(data.toString('utf8'))
    // Notifications come before it.
    if (isObject(message) && message['method'] === undefined) last = message
  }, answerLimitBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > answerLimitBytes) {
      answer.destroy()
      throw new HubError('ANSWER_TOO_LARGE', `The answer is larger than ${answerLimitBytes} bytes. Ask for less.`)
    }
    if (isStream) parser.push(chunk)
    else chunks.push(chunk)
  }
  const message = isStream ? last : parse(Buffer.concat(chunks).toString('utf8'))
  if (isObject(message)) return message
  throw new HubError('DOWNSTREAM_FAILED', `The server answered with status ${answer.statusCode} and no MCP message.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Told as an answer that is none.
    return null
  }
}

function readError(error: unknown): { code: number; message: string } {
  const { code, message } = isObject(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'The server answered with neither a result nor an error.',
  }
}
