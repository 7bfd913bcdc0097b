import { request as httpRequest } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import { hubInfo } from '../../downstream/index.ts'
import { askModern, readAnswerBody, type SendRequest } from '../../mcp-client/index.ts'
import { isObject } from '../../wire/index.ts'
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
  async request(principal: Principal, { path, method, params, headers }: OwnRequest): Promise<OwnAnswer> {
    const trace = beginTrace(undefined)
    const startedAt = performance.now()
    const { status, message } = await this.#options.lend(principal, (pass) =>
      askModern(sendAs(pass), {
        id: 1,
        url: new URL(path, this.#options.origin()),
        method,
        params,
        headers: { traceparent: toTraceParent(trace), ...headers },
        clientInfo: hubInfo,
        signal: AbortSignal.timeout(limitMs),
        limitBytes: answerLimitBytes,
      }),
    )
    const ms = Math.round(performance.now() - startedAt)
    if (message === null) throw noMessage(status)
    const { result, error } = message
    if (isObject(result)) return { traceId: trace.traceId, result, error: null, ms }
    return { traceId: trace.traceId, result: null, error: readError(error), ms }
  }

  /** The object that a plain GET answers, whatever its status. */
  read(principal: Principal, path: string): Promise<Record<string, unknown>> {
    return this.#options.lend(principal, async (pass) => {
      const url = new URL(path, this.#options.origin())
      const answer = await sendAs(pass)(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(limitMs) })
      const value = parse(await readAnswerBody(answer, answerLimitBytes))
      if (!isObject(value)) throw noMessage(answer.statusCode)
      return value
    })
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Told as an answer that is none.
    return null
  }
}

function noMessage(status: number | undefined): HubError {
  return new HubError('DOWNSTREAM_FAILED', `The server answered with status ${status} and no MCP message.`)
}

/** Sends on behalf of the owner of a pass. */
function sendAs(pass: string): SendRequest {
  return (url, { body, headers, ...options }) =>
    new Promise((resolve, reject) => {
      const all = { ...headers, authorization: `Bearer ${pass}`, via: '1.1 herma' }
      httpRequest(url, { ...options, headers: all }, resolve)
        .on('error', reject)
        .end(body)
    })
}

function readError(error: unknown): { code: number; message: string } {
  const { code, message } = isObject(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'The server answered with neither a result nor an error.',
  }
}
