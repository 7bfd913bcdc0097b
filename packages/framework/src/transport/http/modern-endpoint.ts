import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/auth.ts'
import { errorCode } from '../../protocol/errors.ts'
import type { Peer } from '../../host/peer.ts'
import type { Host } from '../../host/host.ts'
import type { Access } from './access.ts'
import { headerProblem } from './check-modern.ts'
import { EventStream } from './event-stream.ts'
import type { HttpExchange } from './exchange.ts'
import type { Ticker } from './pulse.ts'
import { giveAuthAnswer, refuse } from './refuse.ts'
import { Reply } from './reply.ts'

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

/** A silent request becomes a stream after so many seconds, so that nobody on the way thinks it dead. */
const streamAfterBeats = 15

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
  readonly #parts: PeerOptions
  readonly #reply: Reply

  constructor(exchange: HttpExchange, principal: Principal | undefined, parts: PeerOptions) {
    this.http = exchange
    this.principal = principal
    this.#parts = parts
    const { ticker, report } = parts
    this.#reply = new Reply(exchange, { ticker, report, streamAfterBeats, openStream: () => new EventStream(ticker) })
  }

  send(message: JSONRPCMessage): void {
    if (this.isDone) return
    if ('method' in message) return this.#reply.send(message)
    this.isDone = true
    this.onDone?.()
    const challenge = this.#reply.isStream ? undefined : this.#parts.access.challengeIn(message, this.http)
    if (challenge !== undefined) return this.#reply.replace((exchange) => giveAuthAnswer(exchange, challenge))
    this.#reply.finish(message, statusOf(message, this.isRunning))
  }

  leave(): void {
    this.isDone = true
    this.onDone?.()
    this.#parts.ticker.delete(this.#reply)
  }
}

/** Errors of the protocol have statuses of their own. What a handler answers is an answer like any other. */
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
