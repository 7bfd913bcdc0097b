import type { JSONRPCRequest, JSONRPCMessage, JSONRPCNotification } from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/auth.ts'
import type { Host } from '../../host/host.ts'
import type { Peer } from '../../host/peer.ts'
import { errorCode } from '../../protocol/errors.ts'
import { decodeHeaderValue } from '../../wire/header-value.ts'
import { isObject } from '../../wire/meta.ts'
import { namedParams } from '../../wire/named-params.ts'
import { checkParamHeaders } from '../../wire/param-headers.ts'
import type { Access } from './access/access.ts'
import type { HttpExchange } from './exchange/exchange.ts'
import { giveAuthAnswer, refuse } from './exchange/refuse.ts'
import { EventStream } from './stream/event-stream.ts'
import { Reply } from './stream/reply.ts'
import type { Ticker } from './stream/ticker.ts'

/** Serves modern requests: each is an exchange of its own, and nothing outlives it. */
export class ModernEndpoint {
  readonly #host: Host
  readonly #access: Access
  readonly #ticker: Ticker
  readonly #listening = new Set<ModernPeer>()
  readonly #report = (error: unknown) => this.#host.report(error)

  constructor(host: Host, access: Access, ticker: Ticker) {
    this.#host = host
    this.#access = access
    this.#ticker = ticker
  }

  receive(message: JSONRPCRequest, principal: Principal | undefined, exchange: HttpExchange): void {
    const { id } = message
    const problem = headerProblem(this.#host, message, exchange)
    if (problem !== undefined) {
      return refuse(exchange, { status: 400, code: errorCode.headerMismatch, text: `Header mismatch: ${problem}.`, id })
    }
    const challenge = this.#access.challengeFor(message, principal, exchange)
    if (challenge !== undefined) return giveAuthAnswer(exchange, challenge)
    const peer = new ModernPeer(exchange, principal, {
      access: this.#access,
      ticker: this.#ticker,
      report: this.#report,
    })
    const cancel = this.#host.modern.receive(message, peer)
    peer.isRunning = true
    if (peer.isDone) return
    if (message.method === 'subscriptions/listen') {
      this.#listening.add(peer)
      peer.onDone = () => this.#listening.delete(peer)
    }
    // A modern client cancels by leaving.
    exchange.onGone(() => {
      peer.leave()
      cancel()
    })
  }

  notice(message: JSONRPCNotification, principal: Principal | undefined, exchange: HttpExchange): void {
    this.#host.modern.notice(message, { kind: 'http', principal, http: exchange, send: () => {} })
    exchange.answer(202, [])
  }

  /** Tells listening clients that it is over. */
  finishListening(): void {
    for (const peer of this.#listening) this.#host.modern.finish(peer)
  }
}

/** After so many seconds without an answer a response becomes a stream, so that no proxy gives it up. */
const streamAfterTicks = 15

interface PeerOptions {
  readonly access: Access
  readonly ticker: Ticker
  report(error: unknown): void
}

/** The client behind one modern request. */
class ModernPeer implements Peer {
  readonly kind = 'http'
  readonly principal: Principal | undefined
  readonly http: HttpExchange
  /** False until the request has passed everything that comes before its handler. */
  isRunning = false
  isDone = false
  onDone: (() => void) | undefined
  readonly #options: PeerOptions
  readonly #reply: Reply

  constructor(exchange: HttpExchange, principal: Principal | undefined, options: PeerOptions) {
    this.http = exchange
    this.principal = principal
    this.#options = options
    const { ticker, report } = options
    this.#reply = new Reply(exchange, { ticker, report, streamAfterTicks, openStream: () => new EventStream(ticker) })
  }

  send(message: JSONRPCMessage): void {
    if (this.isDone) return
    if ('method' in message) return this.#reply.send(message)
    this.isDone = true
    this.onDone?.()
    const challenge = this.#reply.isStream ? undefined : this.#options.access.challengeIn(message, this.http)
    if (challenge !== undefined) return this.#reply.replace((exchange) => giveAuthAnswer(exchange, challenge))
    this.#reply.finish(message, statusOf(message, this.isRunning))
  }

  leave(): void {
    this.isDone = true
    this.onDone?.()
    this.#options.ticker.delete(this.#reply)
  }
}

/** Protocol errors have their own HTTP status; an error that a handler returns is an ordinary answer with 200. */
function statusOf(message: JSONRPCMessage, isRunning: boolean): number {
  if (!('error' in message)) return 200
  const { code } = message.error
  if (code === errorCode.methodNotFound) return 404
  if (code === errorCode.missingCapability) return 400
  return !isRunning && refusals.has(code) ? 400 : 200
}

const refusals: ReadonlySet<number> = new Set([
  errorCode.invalidParams,
  errorCode.invalidRequest,
  errorCode.unsupportedVersion,
  errorCode.headerMismatch,
])

/**
 * Says where the headers of a modern request disagree with its body.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
function headerProblem(host: Host, message: JSONRPCRequest, exchange: HttpExchange): string | undefined {
  const { method } = message
  const params: Record<string, unknown> = message.params ?? {}
  if (exchange.header('mcp-protocol-version') === undefined) return 'MCP-Protocol-Version is missing'
  const given = exchange.header('mcp-method')
  if (given === undefined) return 'Mcp-Method is missing'
  if (given !== method) return `Mcp-Method is ${JSON.stringify(given)}, the body says ${JSON.stringify(method)}`
  const field = namedParams.get(method)
  const name = field === undefined ? undefined : params[field]
  // A request without a name is refused by the handler of its method, with a better message.
  if (typeof name !== 'string') return undefined
  return nameProblem(name, exchange.header('mcp-name')) ?? paramProblem(host, params, method, exchange)
}

function nameProblem(name: string, header: string | undefined): string | undefined {
  if (header === name && !header.startsWith('=?')) return undefined
  if (header === undefined) return 'Mcp-Name is missing'
  const decoded = decodeHeaderValue(header)
  if (decoded === name) return undefined
  if (decoded === undefined) return 'Mcp-Name has characters that must be Base64-encoded'
  return `Mcp-Name is ${JSON.stringify(decoded)}, the body says ${JSON.stringify(name)}`
}

function paramProblem(
  { behaviour }: Host,
  params: Record<string, unknown>,
  method: string,
  exchange: HttpExchange,
): string | undefined {
  if (method !== 'tools/call') return undefined
  const mirrored = behaviour.mirroredParams?.(params['name'] as string) ?? []
  if (mirrored.length === 0) return undefined
  const args = isObject(params['arguments']) ? params['arguments'] : {}
  return checkParamHeaders(mirrored, exchange.allHeaders(), args)
}
