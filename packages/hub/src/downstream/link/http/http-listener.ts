import { HubError } from '@herma/contract'
import type { Dispatcher } from 'undici'
import { findHeader, isChallenge } from '../../authorization/challenge.ts'
import { jsonProblem, readJson, SseParser, toMessage } from '../../../wire/index.ts'
import type { HttpLink } from './http-link.ts'
import { listenParams, withoutSubscription } from '../listen-params.ts'
import { readRetryAfter } from './retry-after.ts'

const firstRetryMs = 1000
/** A server that asks for no pause at all gets this one. */
const leastRetryMs = 100
const maxRetryMs = 30_000
/** A server that refuses the stream, or is not there, is asked ever more rarely up to this. */
const maxRefusedMs = 300_000
/** The longest pause that a server may ask for. */
const maxAskedMs = 3_600_000

/**
 * The long stream on which a server reports changes: a GET for a legacy one, `subscriptions/listen` for a modern one.
 * It comes back by itself after a break. A server that offers none is left alone.
 */
export class HttpListener {
  readonly #link: HttpLink
  #uris: ReadonlySet<string> = new Set()
  #abort: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  #lastEventId: string | undefined
  #retryMs = firstRetryMs
  #isStopped = false
  #hasOpened = false
  /** Nobody was there at the last attempt. */
  #wasAway = false
  #attempt = 0
  /** A refusal was answered with another token since the stream last opened. */
  #isRenewed = false
  /** Resolves when the server has answered the first attempt, in whatever way. */
  readonly answered: Promise<void>
  #onAnswered: () => void = () => undefined

  constructor(link: HttpLink) {
    this.#link = link
    this.answered = new Promise((resolve) => {
      this.#onAnswered = resolve
    })
  }

  start(): void {
    if (this.#isStopped) return
    const attempt = ++this.#attempt
    const { status, options } = this.#request()
    this.#link.pool.dispatch(options, this.#handler(attempt, status))
  }

  /** A modern stream names its resources when it opens, so a change opens another in its place. */
  listenTo(uris: ReadonlySet<string>): void {
    this.#uris = new Set(uris)
    if (this.#timer !== null) clearTimeout(this.#timer)
    const abort = this.#abort
    this.#abort = null
    this.start()
    abort?.()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#abort?.()
  }

  #request(): { status: Set<number>; options: Dispatcher.DispatchOptions } {
    const { path, era } = this.#link
    const headers = this.#link.ownHeaders()
    if (era === 'legacy') {
      const resume = this.#lastEventId === undefined ? [] : ['last-event-id', this.#lastEventId]
      const own = withoutContent(headers)
      return {
        status: new Set([405]),
        options: { path, method: 'GET', headers: [...own, 'accept', 'text/event-stream', ...resume] },
      }
    }
    const params = listenParams(this.#uris)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: `listen-${this.#link.nextId()}`,
      method: 'subscriptions/listen',
      params,
    })
    return {
      status: new Set([400, 404, 405, 501]),
      options: { path, method: 'POST', headers: [...headers, 'mcp-method', 'subscriptions/listen'], body },
    }
  }

  #handler(attempt: number, refusals: ReadonlySet<number>): Dispatcher.DispatchHandler {
    const parser = new SseParser((event) => {
      if (event.id !== undefined) this.#lastEventId = event.id
      if (event.data.length > 0) this.#receive(event.data)
    }, this.#link.maxMessageBytes)
    const sent = this.#link.authorization()
    let status = 0
    let challenge: string | null = null
    let askedMs = 0
    let openedAt = performance.now()
    const ended = () => {
      this.#onAnswered()
      if (this.#attempt !== attempt || this.#isStopped || refusals.has(status)) return
      // Some servers say 400 of a session that they do not know.
      const isForgotten = status === 404 || (status === 400 && this.#hasOpened)
      if (isForgotten && this.#link.hasSession) {
        this.#link.lose(new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#link.settings.name}' forgot the session.`))
        return
      }
      const { authorization } = this.#link.settings
      if (authorization !== null && isChallenge(status, challenge) && !this.#isRenewed) {
        this.#isRenewed = true
        authorization.renew({ status, header: challenge, sent }).then(
          () => this.#again(attempt, 0),
          () => this.#again(attempt),
        )
        return
      }
      // A stream that held for a while starts counting anew; one that always ends at once is asked ever more rarely.
      if (parser.retryMs !== undefined) this.#retryMs = Math.max(parser.retryMs, this.#retryMs)
      if (status === 200 && performance.now() - openedAt > maxRetryMs)
        this.#retryMs = Math.max(parser.retryMs ?? firstRetryMs, leastRetryMs)
      this.#wasAway = status === 0
      this.#again(attempt, Math.max(this.#retryMs, askedMs), status === 200 ? maxRetryMs : maxRefusedMs)
    }
    return {
      onConnect: (abort) => {
        if (this.#attempt === attempt && !this.#isStopped) this.#abort = abort
        else abort()
      },
      onHeaders: (code, headers) => {
        this.#onAnswered()
        // Something else than a stream, such as a page that describes the endpoint, is a refusal too.
        status = code === 200 && !isEventStream(headers) ? 405 : code
        // What was told while there was no stream is missed, and there may be another server by now.
        if (status === 200 && this.#hasOpened) this.#link.owner.onDoubt(this.#link)
        if (status === 200) this.#hasOpened = true
        openedAt = performance.now()
        challenge = findHeader(headers, 'www-authenticate')
        askedMs = Math.min(readRetryAfter(findHeader(headers, 'retry-after')) ?? 0, maxAskedMs)
        if (code === 200) this.#isRenewed = false
        return true
      },
      onData: (chunk) => {
        if (status === 200) parser.push(chunk)
        return true
      },
      onComplete: ended,
      onError: ended,
    }
  }

  /** A call went through, so the server is there: the stream need not wait any longer. */
  hurry(): void {
    if (!this.#wasAway || this.#timer === null || this.#isStopped) return
    this.#wasAway = false
    clearTimeout(this.#timer)
    this.#timer = null
    this.#retryMs = firstRetryMs
    this.start()
  }

  #again(attempt: number, waitMs = this.#retryMs, mostMs = maxRetryMs): void {
    if (this.#attempt !== attempt || this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.start()
    }, waitMs).unref()
    this.#retryMs = Math.min(this.#retryMs * 2, mostMs)
  }

  #receive(data: Buffer): void {
    try {
      const value = readJson(data.toString('utf8'))
      for (const one of Array.isArray(value) ? value : [value]) {
        const message = toMessage(one)
        // The acknowledgement and the end of a subscription are between the server and us.
        if (!('method' in message) || message.method === 'notifications/subscriptions/acknowledged') continue
        this.#link.receive(withoutSubscription(message), null)
      }
    } catch (error) {
      this.#link.owner.onRemark(`sent something else than JSON-RPC on its stream: ${jsonProblem(error)}`)
    }
  }
}

function isEventStream(headers: Buffer[]): boolean {
  const at = headers.findIndex(
    (name, index) => index % 2 === 0 && name.toString('latin1').toLowerCase() === 'content-type',
  )
  return at >= 0 && headers[at + 1]!.toString('latin1').startsWith('text/event-stream')
}

/** Headers of a GET: the same without those of a body. */
export function withoutContent(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase()
    if (name !== 'content-type' && name !== 'accept') kept.push(headers[index]!, headers[index + 1]!)
  }
  return kept
}
