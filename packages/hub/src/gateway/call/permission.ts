import { HubError, type Principal } from '@herma/contract'
import type { CallRecorder } from './call-recorder.ts'
import { findRepeatedKey, textAt } from '../../wire/index.ts'
import type { Exchange } from './exchange.ts'

/** What a request is about, once its name was looked up. */
export interface Subject {
  readonly connector?: string | undefined
  /** The name at the server. */
  readonly original?: string | undefined
  annotations?(): unknown
  /** These three are set for what the hub calls on its own behalf inside of a call. */
  readonly method?: string
  readonly target?: string
  readonly arguments?: unknown
}

export interface PermissionQuestion {
  readonly principal: Principal
  readonly server: string
  readonly method: string
  readonly target: string
  readonly arguments: unknown
  readonly loopback: boolean
  readonly connector: string | undefined
  readonly original: string | undefined
  readonly annotations: unknown
}

/** The right to one call, given back when it is over. */
export interface CallPermit {
  release(): void
}

/** Who decides; `access` fills it. Nothing of it may wait. */
export interface Rulings {
  /** Whether no question about this principal could be answered with no; most calls are of such a one. */
  isFree(principal: Principal): boolean
  check(question: PermissionQuestion): {
    readonly allowed: boolean
    readonly why: string
    readonly rule: string | null
    readonly missingScope: string | null
  }
  /** Takes one of the calls that a principal may make; one inside of another is not one more under way. */
  take(
    principal: Principal,
    method: string,
    isInside?: boolean,
  ): CallPermit | { refused: HubError; retryAfterMs: number }
  /** Value of WWW-Authenticate that lets a client ask for more. */
  stepUp(server: string, scope: string, why: string): string | undefined
}

/** Asks whether a request may go on, and refuses it where not. */
export class Permission {
  readonly #rulings: Rulings
  readonly #recorder: CallRecorder

  constructor(rulings: Rulings, recorder: CallRecorder) {
    this.#rulings = rulings
    this.#recorder = recorder
  }

  /** Throws a Refused when the principal may not do this. */
  require(exchange: Exchange, subject: Subject): void {
    if (this.#rulings.isFree(exchange.principal)) return
    const decision = this.#check(exchange, subject)
    if (decision.allowed) return
    const { why, rule, missingScope } = decision
    this.#recorder.refused(exchange, why, rule)
    const challenge =
      missingScope === null ? undefined : this.#rulings.stepUp(exchange.caller.server, missingScope, why)
    throw new Refused(
      new HubError('FORBIDDEN', why),
      403,
      challenge === undefined ? [] : ['WWW-Authenticate', challenge],
    )
  }

  /** Of the connectors that may have what is meant, those that the principal may ask. Throws when there is none. */
  requireAny<T extends { readonly name: string }>(
    exchange: Exchange,
    connectors: readonly T[],
    subject: Subject = {},
  ): T[] {
    const allowed = connectors.filter(({ name }) => this.#check(exchange, { ...subject, connector: name }).allowed)
    if (allowed.length === 0) this.require(exchange, { ...subject, connector: connectors[0]?.name })
    return allowed
  }

  #check(exchange: Exchange, subject: Subject): ReturnType<Rulings['check']> {
    const question = new CallQuestion(exchange, subject)
    const decision = this.#rulings.check(question)
    const repeated = decision.allowed && question.hasReadArguments ? repeatedArgument(exchange) : null
    if (repeated === null) return decision
    const why = `The arguments have the key ${JSON.stringify(repeated)} twice, and a rule looks into them. Send it once.`
    return { allowed: false, why, rule: decision.rule, missingScope: null }
  }

  /** Throws a Refused when the principal has too many calls under way, or made too many. */
  admit({ principal, method }: Pick<Exchange, 'principal' | 'method'>): CallPermit {
    return this.#take(principal, method)
  }

  /** The first of the calls under way inside of another has its place; those beside it take places of their own. */
  admitInside({ principal }: Exchange, method: string, isFirst: boolean): CallPermit {
    return this.#take(principal, method, isFirst)
  }

  #take(principal: Principal, method: string, isInside = false): CallPermit {
    const turn = this.#rulings.take(principal, method, isInside)
    if (!('refused' in turn)) return turn
    const seconds = Math.max(1, Math.ceil(turn.retryAfterMs / 1000))
    throw new Refused(turn.refused, 429, ['Retry-After', String(seconds)])
  }
}

/**
 * What is asked about one request. An object literal with a getter would get a hidden class of its own each time, which
 * outlives the call and keeps all of it alive.
 */
class CallQuestion implements PermissionQuestion {
  readonly #exchange: Exchange
  readonly #subject: Subject
  /** Whether somebody looked at what the client wrote as arguments. */
  hasReadArguments = false

  constructor(exchange: Exchange, subject: Subject) {
    this.#exchange = exchange
    this.#subject = subject
  }

  get principal(): Principal {
    return this.#exchange.principal
  }

  get server(): string {
    return this.#exchange.caller.server
  }

  get method(): string {
    return this.#subject.method ?? this.#exchange.method
  }

  get target(): string {
    const { target } = this.#exchange
    return this.#subject.target ?? (typeof target === 'string' ? target : '')
  }

  get arguments(): unknown {
    if (this.#subject.arguments !== undefined) return this.#subject.arguments
    this.hasReadArguments = true
    return this.#exchange.params?.['arguments']
  }

  get loopback(): boolean {
    return this.#exchange.isLocal
  }

  get connector(): string | undefined {
    return this.#subject.connector
  }

  get original(): string | undefined {
    return this.#subject.original
  }

  /** They are read out of the descriptor's bytes, which only a rule that looks at them is worth. */
  get annotations(): unknown {
    return this.#subject.annotations?.()
  }
}

/** Of two equal keys a rule sees the last one and the server, which gets both, may take the first. */
function repeatedArgument({ message }: Exchange): string | null {
  const text = textAt(message, ['params', 'arguments'])
  return text === undefined ? null : findRepeatedKey(text, 0)
}

/** A refusal that has a status and headers of its own where the transport can carry them. */
export class Refused extends HubError {
  readonly status: number
  readonly headers: readonly string[]

  constructor(error: HubError, status: number, headers: readonly string[]) {
    super(error.code, error.message, { data: error.data })
    this.status = status
    this.headers = headers
  }
}
