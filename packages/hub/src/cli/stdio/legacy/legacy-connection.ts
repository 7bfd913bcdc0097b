import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import { isStream, readStream, runExchange, type McpExchange, type ExchangeOutcome } from '../../../mcp-client/index.ts'
import type { Log } from '../../../platform/log.ts'
import {
  isObject,
  type NotificationMessage,
  type Params,
  readJson,
  type ResponseMessage,
  type RpcError,
  writeJson,
} from '../../../wire/index.ts'
import { sendRequest } from '../../hub/send-request.ts'
import type { LineOutput } from '../client/line-output.ts'
import type { HubRun } from '../hub/hub-supervisor.ts'
import { sendToHub } from '../hub/send-to-hub.ts'
import { PendingQuestions } from './pending-questions.ts'

interface ConnectionOptions {
  readonly path: string
  readonly output: LineOutput
  readonly log: Log
  /** The stream or the connection broke: does the hub still run? */
  suspect(hub: HubRun): void
}

/** The hub's side of the connection. */
interface HubSession {
  readonly hub: HubRun
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly closing: AbortController
}

const goodbyeMs = 1000
const listKinds = ['tools', 'prompts', 'resources'] as const

/**
 * A legacy client's connection, which outlives the hubs that serve it: with the next hub it is opened again in the name
 * of the client, who is told only that lists and resources may have changed.
 */
export class LegacyConnection {
  readonly #params: Params
  readonly #parts: ConnectionOptions
  readonly #questions = new PendingQuestions()
  readonly #watched = new Set<string>()
  #level: string | null = null
  #isInitialized = false
  #session: HubSession | null = null
  #restoring: Promise<HubSession> | null = null
  #restores = 0
  #isClosed = false

  constructor(params: Params, parts: ConnectionOptions) {
    this.#params = params
    this.#parts = parts
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get watchesResources(): boolean {
    return this.#watched.size > 0
  }

  /** Takes the connection that the hub opened for the client's own initialize. */
  adopt(hub: HubRun, sessionId: string, revision: string): void {
    const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': revision }
    this.#session = { hub, url: new URL(this.#parts.path, hub.url), headers, closing: new AbortController() }
  }

  /** The connection at this hub, opened again when it was another hub's. */
  async session(hub: HubRun): Promise<Pick<HubSession, 'url' | 'headers'>> {
    if (this.#session?.hub === hub) return this.#session
    if (this.#isClosed) throw new HubError('CONNECTION_REQUIRED', 'The connection is closed. Send initialize again.')
    this.#restoring ??= this.#restore(hub).finally(() => (this.#restoring = null))
    return this.#restoring
  }

  /** The hub does not know this connection any more, so the next message opens it again. */
  lose(): void {
    this.#session?.closing.abort()
    this.#session = null
  }

  /** Passes a notification of the client on; without a hub there is nobody whom it could concern. */
  async notify(hub: HubRun | null, message: NotificationMessage, line: Buffer | string): Promise<void> {
    const isFirst = message.method === 'notifications/initialized' && !this.#isInitialized
    if (isFirst) this.#isInitialized = true
    if (hub === null) return
    await this.#post(await this.session(hub), line)
    if (isFirst && this.#session !== null) this.#listen(this.#session)
  }

  /** Passes a batch without requests on; returns what the hub says against it. */
  async pass(hub: HubRun | null, line: Buffer): Promise<RpcError | null> {
    if (hub === null) return null
    const outcome = await this.#post(await this.session(hub), line)
    return outcome.kind === 'refused' ? outcome.error : null
  }

  /** Passes the client's answer to a question on, unless the question was withdrawn. */
  async answer(message: ResponseMessage, line: Buffer): Promise<void> {
    const id = this.#questions.answered(message.id)
    if (id === undefined || this.#session === null) return
    await this.#post(this.#session, id === message.id ? line : writeJson({ ...message, id }))
  }

  /** A batch of the client as the hub shall see it; null when it can go as it is. */
  inward(values: readonly unknown[]): unknown[] | null {
    return this.#questions.inward(values)
  }

  /** A message of the hub as the client shall see it. */
  outward(bytes: Buffer, message: Record<string, unknown>): Buffer | string {
    const changed = this.#questions.outward(message)
    return changed === null ? bytes : writeJson(changed)
  }

  /** Remembers what has to be set again at the next hub. */
  remember(method: string, params: Params | undefined): void {
    const { uri, level } = params ?? {}
    if (method === 'logging/setLevel' && typeof level === 'string') this.#level = level
    else if (method === 'resources/subscribe' && typeof uri === 'string') this.#watched.add(uri)
    else if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#watched.delete(uri)
  }

  /** Tells the hub that the client left. */
  async close(): Promise<void> {
    const session = this.#session
    this.#isClosed = true
    this.lose()
    if (session === null) return
    try {
      const options = { method: 'DELETE', headers: session.headers, silenceMs: goodbyeMs }
      const answer = await sendRequest(session.url, options)
      answer.resume()
    } catch {
      // A hub that is gone has forgotten the connection anyway.
    }
  }

  async #restore(hub: HubRun): Promise<HubSession> {
    this.lose()
    for (const requestId of this.#questions.withdrawAll()) {
      const params = { requestId, reason: 'the hub was restarted' }
      this.#parts.output.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    const url = new URL(this.#parts.path, hub.url)
    const { sessionId, revision } = await this.#initialize(url)
    this.adopt(hub, sessionId, revision)
    const session = this.#session!
    if (this.#isInitialized) {
      await this.#post(session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
      this.#listen(session)
    }
    if (this.#level !== null) await this.#request(session, 'logging/setLevel', { level: this.#level })
    for (const uri of this.#watched) await this.#request(session, 'resources/subscribe', { uri })
    this.#tellChanges()
    return session
  }

  async #initialize(url: URL): Promise<{ sessionId: string; revision: string }> {
    const body = this.#requestLine('initialize', this.#params)
    let sessionId: unknown
    let revision: unknown
    const outcome = await runExchange(sendToHub, {
      url,
      headers: {},
      body,
      onHead: ({ headers }) => (sessionId = headers['mcp-session-id']),
      take: (answer) => {
        const message: unknown = JSON.parse(answer.toString('utf8'))
        const result = isObject(message) ? message['result'] : undefined
        revision = isObject(result) ? result['protocolVersion'] : undefined
        return true
      },
    })
    if (typeof sessionId === 'string' && typeof revision === 'string') return { sessionId, revision }
    throw new HubError('HUB_NOT_RUNNING', `The hub did not take the connection again: ${describe(outcome)}.`)
  }

  async #request(session: HubSession, method: string, params: Params): Promise<void> {
    const outcome = await this.#post(session, this.#requestLine(method, params))
    if (outcome.kind === 'answered') return
    this.#parts.log.warn('a setting of the client was not restored', { method, reason: describe(outcome) })
  }

  #requestLine(method: string, params: Params): string {
    return JSON.stringify({ jsonrpc: '2.0', id: `herma-restore-${++this.#restores}`, method, params })
  }

  /** Sends what is not a request of the client, so that its answer concerns nobody else. */
  async #post(session: Pick<HubSession, 'url' | 'headers'>, body: Buffer | string): Promise<ExchangeOutcome> {
    const outcome = await runExchange(sendToHub, {
      url: session.url,
      headers: session.headers,
      body,
      take: () => true,
    })
    const { log } = this.#parts
    if (outcome.kind === 'refused') log.warn('the hub refused a message', { reason: describe(outcome) })
    return outcome
  }

  #listen(session: HubSession): void {
    const { output, log, suspect } = this.#parts
    keepListening({
      url: session.url,
      headers: session.headers,
      signal: session.closing.signal,
      take: (bytes) => {
        output.write(this.outward(bytes, readJson(bytes.toString('utf8')) as Record<string, unknown>))
        return false
      },
      drained: () => output.drained(),
      onLost: () => {
        if (this.#session === session) this.lose()
        suspect(session.hub)
      },
    }).catch((error: unknown) => log.error('listening to the hub failed', { error }))
  }

  #tellChanges(): void {
    const { output } = this.#parts
    if (!this.#isInitialized) return
    for (const kind of listKinds) output.send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
    for (const uri of this.#watched) {
      output.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
    }
  }
}

function describe(outcome: ExchangeOutcome): string {
  if (outcome.kind === 'refused') return outcome.error.message
  return 'error' in outcome ? outcome.error.message : outcome.kind
}

interface ListeningStream extends Pick<McpExchange, 'url' | 'headers' | 'take' | 'drained'> {
  readonly signal: AbortSignal
  /** The hub does not know the connection any more, or is not there. */
  onLost(): void
}

const firstPauseMs = 200
const lastPauseMs = 10_000

/** Keeps the stream open on which the hub tells a legacy client what belongs to no request. Ends when it is lost. */
async function keepListening(stream: ListeningStream): Promise<void> {
  const { url, signal } = stream
  let lastEventId: string | undefined
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    const headers: Record<string, string> = { ...stream.headers, accept: 'text/event-stream' }
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
    try {
      const answer = await sendToHub(url, { method: 'GET', headers, signal })
      if (isStream(answer)) {
        await readStream(answer, stream, (id) => {
          lastEventId = id
          pauseMs = firstPauseMs
        })
      } else {
        answer.resume()
        if (answer.statusCode === 404) return stream.onLost()
        // The events since then are not kept any more; what they told is told by the next ones.
        lastEventId = undefined
      }
    } catch {
      if (!signal.aborted) stream.onLost()
      return
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, lastPauseMs)
  }
}
