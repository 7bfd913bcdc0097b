import { randomUUID } from 'node:crypto'
import { HubError } from '@herma/contract'
import {
  inputMethods,
  isObject,
  lacking,
  markMembers,
  modernRevision,
  translateQuestion,
  withQuestionParams,
  type Answer,
  type InputRequired,
  type Question,
  type RpcError,
} from '../../wire/index.ts'
import type { Exchange } from './exchange.ts'
import { readState, sealState, type StateSealer } from './request-state.ts'

export interface ParkingLimits {
  readonly maxParked: number
  /** How long a call waits for its client to come back. */
  readonly expiryMs: number
}

/** What a parked call is waiting for. */
interface Parked {
  readonly id: string
  readonly exchange: Exchange
  readonly questions: Map<string, { readonly question: Question; settle(answer: Answer): void }>
  /** A state is good for one round only, so that an answer is not given twice. */
  round: number
  lastKey: number
  expiresAt: number
  flushing: NodeJS.Timeout | null
}

/** Questions that come within this time go to the client together. */
const gatherMs = 10
/** Bytes of answers that may wait for their clients, over all of them. */
const maxHeldBytes = 64 * 1024 * 1024

/**
 * The calls of modern clients that wait for input. A legacy server asks in the middle of a call and waits; a modern
 * client can only be asked by the answer to its request. So the client gets `input_required`, the call goes on without
 * it, and the retry of the client, known by its sealed state, takes the call's place at the counter.
 */
export class Parking {
  readonly #limits: ParkingLimits
  readonly #sealer: StateSealer
  readonly #parked = new Map<string, Parked>()
  readonly #byExchange = new WeakMap<Exchange, Parked>()
  readonly counts = { parked: 0, resumed: 0, expired: 0, refused: 0 }

  constructor(limits: ParkingLimits, sealer: StateSealer) {
    this.#limits = limits
    this.#sealer = sealer
  }

  /** The calls that wait for their clients now. */
  get size(): number {
    let count = 0
    for (const { exchange, questions } of this.#parked.values()) {
      if (!exchange.isDone && (exchange.isParked || questions.size > 0)) count++
    }
    return count
  }

  /** Asks the client of a modern call. The answer comes with a later request, or not at all. */
  ask(exchange: Exchange, question: Question, signal: AbortSignal): Promise<Answer> {
    const refusal = this.#refusal(exchange, question)
    if (refusal !== null) return Promise.resolve({ error: refusal })
    const parked = this.#byExchange.get(exchange) ?? this.#open(exchange)
    const key = `question-${++parked.lastKey}`
    return new Promise((resolve) => {
      const withdraw = () => {
        if (parked.questions.delete(key)) resolve({ error: { code: -32603, message: String(signal.reason) } })
      }
      parked.questions.set(key, {
        question: translateQuestion(question, modernRevision),
        settle: (answer) => {
          signal.removeEventListener('abort', withdraw)
          resolve(answer)
        },
      })
      signal.addEventListener('abort', withdraw, { once: true })
      this.#flushSoon(parked)
    })
  }

  /** Continues the call that a retry belongs to. Returns where to send a retry that a modern server waits for. */
  resume(exchange: Exchange): { connectorId: string } | null {
    const state = readState(this.#sealer, exchange)
    if (state.kind === 'through') {
      const { requestState: _, ...params } = exchange.params!
      exchange.params = state.inner === null ? params : { ...params, requestState: state.inner }
      return { connectorId: state.connectorId }
    }
    if (state.kind === 'again') {
      const { requestState: _, inputResponses, ...params } = exchange.params!
      if (isDeclined(inputResponses))
        throw new HubError('SIGN_IN_REQUIRED', 'The person did not want to open the page.')
      exchange.params = params
      exchange.isAgain = true
      return { connectorId: state.connectorId }
    }
    const parked = this.#parked.get(state.id)
    if (parked === undefined) {
      throw new HubError('INVALID_PARAMS', 'The call that waited for this input is over. Send the request again.')
    }
    if (parked.round !== state.round || !parked.exchange.isParked) {
      throw new HubError('INVALID_PARAMS', 'This requestState was used already. Send the request again.')
    }
    this.#take(parked, exchange)
    return null
  }

  /** Seals the state of a modern server together with its route, so that nothing has to be kept. */
  wrap(exchange: Exchange, { result, requestState }: InputRequired): object {
    const connectorId = exchange.runner?.connectorId ?? ''
    const state = { kind: 'through', connectorId, inner: requestState ?? null } as const
    return { ...withQuestionParams(result), requestState: sealState(this.#sealer, exchange, state) }
  }

  /** A legacy server wants URLs opened before it runs the call: the client is asked, and sends the call again. */
  requireUrls(exchange: Exchange, error: RpcError): void {
    const listed = isObject(error.data) && Array.isArray(error.data['elicitations']) ? error.data['elicitations'] : []
    const elicitations = listed.filter(isObject)
    const missing = lacking('elicitation/create', { mode: 'url' }, exchange.caller.capabilities)
    if (missing !== null) {
      const data = { requiredCapabilities: missing }
      return exchange.fail(new HubError('CAPABILITY_MISSING', error.message, { data }))
    }
    if (elicitations.length === 0) return exchange.fail(new HubError('DOWNSTREAM_FAILED', error.message))
    const inputRequests = Object.fromEntries(
      elicitations.map((params, index) => [
        `url-${index + 1}`,
        translateQuestion({ method: 'elicitation/create', params: { mode: 'url', ...params } }, modernRevision),
      ]),
    )
    const state = { kind: 'again', connectorId: exchange.runner?.connectorId ?? '' } as const
    const requestState = sealState(this.#sealer, exchange, state)
    exchange.requireInput({ resultType: 'input_required', inputRequests, requestState })
  }

  /** An answer came while its client was away. */
  onHeld(exchange: Exchange): void {
    let bytes = 0
    for (const parked of this.#parked.values()) bytes += parked.exchange.heldBytes
    if (bytes <= maxHeldBytes) return
    exchange.dropHeld(
      new HubError('OVERLOADED', 'The answer came while the client was away and was too large to keep.'),
    )
  }

  /** Gives up the calls whose clients did not come back. */
  expire(now: number): void {
    for (const parked of this.#parked.values()) {
      if (parked.exchange.isParked && parked.expiresAt <= now) {
        this.counts.expired++
        this.#forget(parked)
        parked.exchange.cancel('the client did not come back with the input')
      }
    }
  }

  /** Calls that wait are given up; those that have their input may still end. */
  stop(): void {
    for (const { exchange } of this.#parked.values()) if (exchange.isParked) exchange.cancel('the hub stops')
  }

  /** A call is over. */
  forget(exchange: Exchange): void {
    const parked = this.#byExchange.get(exchange)
    if (parked !== undefined) this.#forget(parked)
  }

  #refusal(exchange: Exchange, { method, params }: Question): RpcError | null {
    if (!inputMethods.has(exchange.method)) {
      return { code: -32601, message: `A modern client cannot be asked while ${exchange.method} runs.` }
    }
    const missing = lacking(method, params, exchange.caller.capabilities)
    if (missing !== null) {
      return { code: -32601, message: `The client does not support ${JSON.stringify(missing)}.` }
    }
    const { size } = this
    if (size < this.#limits.maxParked || this.#byExchange.has(exchange)) return null
    this.counts.refused++
    return { code: -32603, message: `The hub has ${size} calls that wait for input, its limit.` }
  }

  #open(exchange: Exchange): Parked {
    const parked: Parked = {
      id: randomUUID(),
      exchange,
      questions: new Map(),
      round: 0,
      lastKey: 0,
      expiresAt: Number.POSITIVE_INFINITY,
      flushing: null,
    }
    this.#parked.set(parked.id, parked)
    this.#byExchange.set(exchange, parked)
    return parked
  }

  #flushSoon(parked: Parked): void {
    parked.flushing ??= setTimeout(() => this.#flush(parked), gatherMs)
  }

  #flush(parked: Parked): void {
    parked.flushing = null
    const { exchange, questions } = parked
    if (exchange.isDone) return this.#forget(parked)
    if (exchange.isParked || questions.size === 0) return
    parked.round++
    parked.expiresAt = performance.now() + this.#limits.expiryMs
    this.counts.parked++
    const inputRequests = Object.fromEntries([...questions].map(([key, { question }]) => [key, question]))
    const state = { kind: 'parked', id: parked.id, round: parked.round } as const
    exchange.park({
      resultType: 'input_required',
      inputRequests,
      requestState: sealState(this.#sealer, exchange, state),
    })
  }

  /** Hands the answers of a retry to the server, and its sink to the call. */
  #take(parked: Parked, retry: Exchange): void {
    const answers = retry.params?.['inputResponses']
    markMembers(retry.message, ['params', 'inputResponses'])
    const given = isObject(answers) ? answers : {}
    for (const [key, answer] of Object.entries(given)) {
      if (parked.questions.has(key) && !isObject(answer)) {
        throw new HubError(
          'INVALID_PARAMS',
          `inputResponses[${JSON.stringify(key)}] must be the result of its request.`,
        )
      }
    }
    this.counts.resumed++
    parked.expiresAt = Number.POSITIVE_INFINITY
    retry.handOver(parked.exchange)
    for (const [key, { settle }] of parked.questions) {
      if (!isObject(given[key])) continue
      parked.questions.delete(key)
      settle({ result: given[key] })
    }
    // What was left out, or asked meanwhile, is asked again.
    if (parked.questions.size > 0 && !parked.exchange.isDone) this.#flushSoon(parked)
  }

  #forget(parked: Parked): void {
    if (parked.flushing !== null) clearTimeout(parked.flushing)
    this.#parked.delete(parked.id)
  }
}

/** Asked once more, a person who declined would be asked for ever. */
function isDeclined(responses: unknown): boolean {
  const answers: unknown[] = isObject(responses) ? Object.values(responses) : []
  return answers.some((answer) => isObject(answer) && ['decline', 'cancel'].includes(String(answer['action'])))
}
