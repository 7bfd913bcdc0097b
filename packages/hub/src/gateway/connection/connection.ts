import { randomInt } from 'node:crypto'
import { HubError, type Principal } from '@herma/contract'
import type { CallPermit } from '../../access/index.ts'
import { ClearedMap } from '../../platform/cleared-map.ts'
import {
  lacking,
  markMembers,
  translateQuestion,
  type Answer,
  type Caller,
  type NotificationMessage,
  type Question,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../wire/index.ts'
import { EventStream } from '../transport/sink/event-stream.ts'
import type { Exchange } from '../call/exchange.ts'

/** What a client may leave unfetched, over all of its streams. */
const keepBytes = 1024 * 1024
/** Notifications that wait for a client without a stream. */
const maxWaiting = 64
/** How long the events of a finished stream can be fetched. */
const resumeMs = 5 * 60_000
/** The same for one that was written to its end: its socket may have broken with the last bytes still on their way. */
const writtenMs = 15_000
/** Finished streams that are kept at most. */
const maxFinished = 64
/** Questions that may wait for one client. */
const maxQuestions = 64

/** Numbers of a connection that goes on in another process begin somewhere above those that the client has seen. */
const laterNumbers = [1_000_000, 900_000_000] as const

/** What is known of a client that connects. */
export type NewCaller = Pick<Caller, 'principal' | 'server' | 'revision' | 'clientInfo' | 'capabilities'>

export interface ConnectionBeginning {
  readonly id: string
  readonly token: string | null
  readonly issuedAtSeconds: number
  readonly isWhole: boolean
  /** Begun in another process, or forgotten meanwhile. */
  readonly isRestored: boolean
}

/** One legacy client: what MCP until 2025-11-25 calls a session. Everything in it is made when first needed. */
export class Connection {
  /** Its name in the hub, which is no secret. */
  readonly id: string
  /** What the client presents; null where its event stream is its connection. */
  readonly token: string | null
  /** When the id was issued; its life counts from then. */
  readonly issuedAtSeconds: number
  /** Whether the id says all that `initialize` said. */
  readonly isWhole: boolean
  readonly caller: Caller & { logLevel: string | null }
  lastSeenAt = performance.now()
  /** The stream that the client opened with GET. */
  #listening: EventStream | null = null
  #waiting: NotificationMessage[] | null = null
  #streams: Map<number, EventStream> | null = null
  #exchanges: ClearedMap<RequestId, Exchange> | null = null
  #questions: Map<RequestId, (answer: Answer) => void> | null = null
  #subscriptions: Set<string> | null = null
  readonly #questionMs: number
  /** An answer, or the place in a stream, of the process before must not be taken for one of this. */
  readonly #firstNumber: number
  #lastStream: number
  #lastQuestion: number
  isClosed = false
  /** What it counts as for the address that it was opened from. */
  place: CallPermit | null = null

  constructor(beginning: ConnectionBeginning, caller: NewCaller, limits: { questionMs: number }) {
    this.id = beginning.id
    this.token = beginning.token
    this.issuedAtSeconds = beginning.issuedAtSeconds
    this.isWhole = beginning.isWhole
    this.caller = { ...caller, era: 'legacy', connectionId: beginning.id, logLevel: null }
    this.#questionMs = limits.questionMs
    this.#firstNumber = beginning.isRestored ? randomInt(...laterNumbers) : 0
    this.#lastStream = this.#firstNumber
    this.#lastQuestion = this.#firstNumber
  }

  get exchanges(): ClearedMap<RequestId, Exchange> {
    return (this.#exchanges ??= new ClearedMap())
  }

  get subscriptions(): Set<string> {
    return (this.#subscriptions ??= new Set())
  }

  get hasSubscriptions(): boolean {
    return (this.#subscriptions?.size ?? 0) > 0
  }

  /** Who found out the id of a connection still has to be the principal that opened it. */
  belongsTo(principal: Principal): boolean {
    return this.caller.principal === principal.id
  }

  /** True while something is under way, so that idle time does not count. */
  get isBusy(): boolean {
    return (this.#exchanges?.size ?? 0) > 0 || this.#listening?.isAttached === true
  }

  /** Since 2025-11-25 clients understand an event without data. */
  get primes(): boolean {
    return this.caller.revision >= '2025-11-25'
  }

  /** The stream of one request; it can be resumed. */
  createStream(clientId: string | null = null): EventStream {
    const stream = new EventStream(++this.#lastStream, { keepBytes, requestId: clientId })
    this.#streams ??= new Map()
    if (this.#streams.size >= maxFinished) this.prune(performance.now())
    this.#streams.set(stream.number!, stream)
    return stream
  }

  stream(number: number): EventStream | undefined {
    return number === 0 ? this.listening : this.#streams?.get(number)
  }

  /** The stream for what belongs to no request. */
  get listening(): EventStream {
    return (this.#listening ??= new EventStream(0, { keepBytes: 64 * 1024, after: this.#firstNumber }))
  }

  /** A client of HTTP+SSE has one stream for everything. */
  listenOn(stream: EventStream): void {
    this.#listening = stream
  }

  get currentStreams(): EventStream[] {
    const streams = [...(this.#streams?.values() ?? [])]
    return this.#listening === null ? streams : [...streams, this.#listening]
  }

  /** The hub goes: who only listens shall come back to the next one. Answers to requests may come on the same stream. */
  hangUp(retryMs: number): void {
    const isNeeded = this.token === null && (this.#exchanges?.size ?? 0) > 0
    if (!isNeeded) this.#listening?.pause(retryMs)
  }

  /** Sends now, or when the client next listens. Of the same notification about lists only one waits. */
  notify(message: NotificationMessage): void {
    if (this.#listening?.isAttached === true) return void this.#listening.sendMessage(message)
    const waiting = (this.#waiting ??= [])
    if (message.params === undefined && waiting.some((other) => other.method === message.method)) return
    if (waiting.length >= maxWaiting) waiting.shift()
    waiting.push(message)
  }

  /** Called when the client has opened its stream. */
  flushWaiting(): void {
    for (const message of this.#waiting ?? []) this.listening.sendMessage(message)
    this.#waiting = null
  }

  /** Asks the client and waits for its answer, which comes as a message of its own. `send` reaches the client. */
  ask(question: Question, send: (message: object) => unknown, signal: AbortSignal): Promise<Answer> {
    const { capabilities, revision } = this.caller
    const missing = lacking(question.method, question.params, capabilities)
    if (missing !== null) return refuse(-32601, `The client does not support ${JSON.stringify(missing)}.`)
    const questions = (this.#questions ??= new Map<RequestId, (answer: Answer) => void>())
    if (questions.size >= maxQuestions) return refuse(-32603, `The client has ${questions.size} questions unanswered.`)
    const id = ++this.#lastQuestion
    return new Promise((resolve) => {
      const withdraw = (reason: string) => {
        const settle = questions.get(id)
        if (settle === undefined) return
        questions.delete(id)
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
        settle({ error: { code: -32603, message: reason } })
      }
      const abort = () => withdraw(signal.reason instanceof Error ? signal.reason.message : String(signal.reason))
      const timer = setTimeout(() => withdraw('The client did not answer in time.'), this.#questionMs).unref()
      questions.set(id, (answer) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        resolve(answer)
      })
      signal.addEventListener('abort', abort, { once: true })
      const message: RequestMessage = { jsonrpc: '2.0', id, ...translateQuestion(question, revision) }
      send(message)
    })
  }

  /** False for an answer that nobody waits for. */
  answer(message: ResponseMessage): boolean {
    const resolve = this.#questions?.get(message.id)
    if (resolve === undefined) return false
    this.#questions!.delete(message.id)
    markMembers(message)
    resolve(message.error === undefined ? { result: message.result } : { error: message.error })
    return true
  }

  /** Forgets streams that nobody will fetch any more, and beyond the limits the oldest of the others. */
  prune(now: number): void {
    if (this.#streams === null) return
    let bytes = 0
    let count = 0
    for (const stream of [...this.#streams.values()].toReversed()) {
      bytes += stream.keptBytes
      if (!stream.isEnded) continue
      count++
      const isOld = now - stream.endedAt > (stream.isWritten ? writtenMs : resumeMs)
      if (isOld || bytes > keepBytes || count > maxFinished) this.#streams.delete(stream.number!)
    }
  }

  close(): void {
    this.isClosed = true
    const gone = new HubError('CONNECTION_NOT_FOUND', 'The client closed its connection.')
    for (const settle of this.#questions?.values() ?? []) settle({ error: { code: -32000, message: gone.message } })
    for (const exchange of this.#exchanges?.values() ?? []) exchange.cancel('the client closed its connection')
    for (const stream of this.currentStreams) stream.end()
    this.#questions = null
    this.#exchanges = null
    this.#streams = null
    this.#waiting = null
  }
}

function refuse(code: number, message: string): Promise<Answer> {
  return Promise.resolve({ error: { code, message } })
}
