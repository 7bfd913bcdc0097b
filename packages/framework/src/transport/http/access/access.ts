import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import { hasScopes, type Auth, type AuthAnswer, type Principal } from '../../../auth/auth.ts'
import { errorCode } from '../../../protocol/errors.ts'
import type { Host } from '../../../host/host.ts'
import { emit } from '../../../telemetry/events.ts'
import { isObject } from '../../../wire/meta.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import { giveAuthAnswer, refuse } from '../exchange/refuse.ts'

/** Who asks over HTTP, and what to tell those who may not. Without an `Auth` everybody may do everything. */
export class Access {
  readonly #host: Host
  readonly #auth: Auth | undefined

  constructor(host: Host, auth: Auth | undefined) {
    this.#host = host
    this.#auth = auth
  }

  /** Undefined when the exchange was answered here. */
  async enter(exchange: HttpExchange): Promise<{ principal: Principal | undefined } | undefined> {
    if (this.#auth === undefined) return { principal: undefined }
    try {
      const outcome = await this.#auth.authenticate(exchange)
      if ('principal' in outcome) return outcome
      return giveAuthAnswer(exchange, outcome.refused)
    } catch (error) {
      this.#host.report(error)
      emit('mcp.auth', () => ({ server: this.#host.info.name, outcome: 'unavailable', status: 503 }))
      const text = 'Who is asking could not be found out. Try again later.'
      return refuse(exchange, { status: 503, code: errorCode.internal, text, headers: ['Retry-After', '5'] })
    }
  }

  /** Gives a document that clients read before they have a token. False when there is none at this path. */
  async giveDocument(exchange: HttpExchange): Promise<boolean> {
    const document = await this.#auth?.document?.(exchange)
    if (document === undefined) return false
    giveAuthAnswer(exchange, document)
    return true
  }

  /** The challenge for scopes that a request needs and its principal lacks. */
  challengeFor(
    request: JSONRPCRequest,
    principal: Principal | undefined,
    exchange: HttpExchange,
  ): AuthAnswer | undefined {
    const scopes = this.#auth === undefined ? [] : (this.#host.behaviour.scopesOf?.(request) ?? [])
    return hasScopes(principal, scopes) ? undefined : this.#auth?.challenge(scopes, exchange)
  }

  /** The challenge for an answer that says that scopes are missing: some handlers find that out while they run. */
  challengeIn(answer: JSONRPCMessage, exchange: HttpExchange): AuthAnswer | undefined {
    if (this.#auth === undefined || !('error' in answer) || answer.error.code !== errorCode.denied) return undefined
    const { data } = answer.error
    const scopes = isObject(data) && Array.isArray(data['scopes']) ? (data['scopes'] as string[]) : []
    return this.#auth.challenge(scopes, exchange)
  }
}
