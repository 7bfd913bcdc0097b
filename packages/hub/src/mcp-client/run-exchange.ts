import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { HubError } from '@herma/contract/plain'
import { isObject, type RpcError, SseParser } from '../wire/index.ts'

/** Sends one HTTP request, with whatever shows who sends it, and resolves as soon as the head of the answer is there. */
export type SendRequest = (
  url: URL,
  options: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Buffer | string
    readonly signal?: AbortSignal | undefined
  },
) => Promise<IncomingMessage>

/** What is sent to an MCP endpoint, and who takes what comes back. */
export interface McpExchange {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string
  readonly signal?: AbortSignal | undefined
  /** Of a whole body, and of one message of a stream. */
  readonly limitBytes?: number
  /** Whether the hub keeps the events of a stream that breaks. */
  readonly canResume?: boolean
  onHead?(head: Pick<IncomingMessage, 'statusCode' | 'headers'>): void
  /** Takes one message and returns true when nothing more is awaited. */
  take(message: Buffer, place: 'body' | 'stream'): boolean
  /** Resolves when more may come; absent = at once. */
  drained?(): Promise<void>
}

export type ExchangeOutcome =
  | { readonly kind: 'answered' }
  /** Accepted, and there is nothing to say. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly status: number; readonly error: RpcError; readonly body: Buffer }
  /** Not a byte has reached the hub. */
  | { readonly kind: 'unsent'; readonly error: Error }
  /** Sent, and then the hub or the way to it was lost. */
  | { readonly kind: 'broken'; readonly error: Error }

const messageLimitBytes = 268_435_456
const maxResumes = 5
const resumeAfterMs = 200

/** Sends one message and passes everything on that comes back for it, as JSON or as a stream. It never throws. */
export async function runExchange(send: SendRequest, exchange: McpExchange): Promise<ExchangeOutcome> {
  const { url, headers, body, signal, limitBytes = messageLimitBytes } = exchange
  try {
    const answer = await send(url, { method: 'POST', headers: postHeaders(headers), body, signal })
    exchange.onHead?.(answer)
    if (isStream(answer)) return await followStream(send, exchange, answer)
    const text = await readAnswerBody(answer, limitBytes)
    if (text.length === 0 && answer.statusCode === 202) return { kind: 'empty' }
    if (answer.statusCode !== 200) return refusal(answer.statusCode ?? 0, text)
    return exchange.take(text, 'body') ? { kind: 'answered' } : { kind: 'empty' }
  } catch (error) {
    return { kind: isUnsent(error) ? 'unsent' : 'broken', error: error as Error }
  }
}

/** Reads a stream and, where the hub keeps its events, fetches the rest of one that broke. */
async function followStream(
  send: SendRequest,
  exchange: McpExchange,
  first: IncomingMessage,
): Promise<ExchangeOutcome> {
  let answer = first
  let lastEventId: string | undefined
  for (let resumes = 0; ; resumes++) {
    const before = lastEventId
    const stream = await readStream(answer, exchange, (id) => (lastEventId = id))
    if (lastEventId !== before) resumes = 0
    if (stream.isAnswered) return { kind: 'answered' }
    if (exchange.canResume !== true || lastEventId === undefined || resumes >= maxResumes || exchange.signal?.aborted)
      return { kind: 'broken', error: stream.error ?? new StreamEnded() }
    await sleep(stream.retryMs ?? resumeAfterMs)
    answer = await send(exchange.url, {
      method: 'GET',
      headers: { ...exchange.headers, accept: 'text/event-stream', 'last-event-id': lastEventId },
      signal: exchange.signal,
    })
    if (isStream(answer)) continue
    answer.resume()
    return { kind: 'broken', error: new Error(`the stream cannot be continued (HTTP ${answer.statusCode})`) }
  }
}

/** The stream came to its end, and the answer was not on it. */
export class StreamEnded extends Error {
  constructor() {
    super('the stream ended without an answer')
  }
}

interface StreamEnd {
  readonly isAnswered: boolean
  readonly retryMs: number | undefined
  readonly error?: Error
}

/** Reads one response to its end, its break or the answer. */
export async function readStream(
  answer: IncomingMessage,
  exchange: Pick<McpExchange, 'take' | 'drained' | 'limitBytes'>,
  onEventId: (id: string) => unknown,
): Promise<StreamEnd> {
  let isAnswered = false
  const parser = new SseParser(({ id, data }) => {
    if (id !== undefined) onEventId(id)
    if (data.length > 0 && !isAnswered) isAnswered = exchange.take(data, 'stream')
  }, exchange.limitBytes ?? messageLimitBytes)
  try {
    for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      parser.push(chunk)
      if (isAnswered) break
      await exchange.drained?.()
    }
  } catch (error) {
    answer.destroy()
    return { isAnswered, retryMs: parser.retryMs, error: error as Error }
  }
  // The hub ends a stream after its answer; reading on to that end lets the socket be used again.
  answer.resume()
  return { isAnswered, retryMs: parser.retryMs }
}

export function isStream(answer: IncomingMessage): boolean {
  const type = answer.headers['content-type'] ?? ''
  return answer.statusCode === 200 && type.toLowerCase().startsWith('text/event-stream')
}

function postHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
}

/** Reads an answer to its end, within a limit. */
export async function readAnswerBody(answer: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes)
      throw new HubError('ANSWER_TOO_LARGE', `The answer is larger than ${limitBytes} bytes. Ask for less.`)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** What the hub says against a message: JSON-RPC where it got that far, a line of text otherwise. */
function refusal(status: number, body: Buffer): ExchangeOutcome {
  const text = body.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    const error = isObject(value) ? value['error'] : undefined
    if (isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string')
      return { kind: 'refused', status, error: error as unknown as RpcError, body }
  } catch {
    // Told below with the status.
  }
  const message = `The hub answered HTTP ${status}: ${text.trim().slice(0, 200) || 'nothing more'}`
  return { kind: 'refused', status, error: { code: -32603, message }, body }
}

function isUnsent(error: unknown): boolean {
  const { syscall } = (
    isObject(error) && error['cause'] !== undefined ? error['cause'] : error
  ) as NodeJS.ErrnoException
  return syscall === 'connect' || syscall === 'getaddrinfo'
}
