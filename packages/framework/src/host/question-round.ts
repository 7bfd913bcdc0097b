import {
  inputRequired,
  isSpecType,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitResult,
  type InputRequest,
  type InputRequests,
  type JSONObject,
  type JSONValue,
  type Result,
  type Root,
} from '@modelcontextprotocol/server'
import { errorCode, McpError, ToolError } from '../protocol/errors.ts'
import { describeIssues } from '../schema/describe-issues.ts'
import type { Parsed, Schema } from '../schema/schema.ts'
import { emit } from '../telemetry/events.ts'
import { messageOfThrown } from '../telemetry/thrown.ts'
import type { Answer, Questions } from '../context/context.ts'
import type { RequestContext } from './request-context.ts'
import type { Seal } from '../context/seal.ts'

/** Under `_meta` of a question to a legacy client: its key, which a modern client sees by itself. */
export const questionKey = 'herma/question'

/** Ends a handler that waits for a modern client. Its `finally` blocks run; catching it changes nothing. */
class Suspended extends Error {
  override readonly name = 'Suspended'
  constructor() {
    super('The handler ends here and runs again with the answer.')
  }
}

/** What travels with a modern client between two rounds. */
interface Carried {
  readonly answers: Record<string, JSONValue>
  /** An effect that returned nothing is an empty list. */
  readonly effects: Record<string, [] | [JSONValue]>
}

/**
 * The questions of one request. A legacy client is asked while the handler waits. A modern client gets the questions as
 * the result, and its retry runs the handler again, which finds the answers here.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class QuestionRound implements Questions {
  readonly #context: RequestContext
  readonly #seal: Seal
  readonly #carried: Carried
  readonly #open: InputRequests = emptyRecord()
  readonly #memo = new Map<string, Promise<JSONValue>>()
  #suspension: Promise<never> | undefined

  constructor(context: RequestContext, seal: Seal) {
    this.#context = context
    this.#seal = seal
    this.#carried = this.#readCarried()
  }

  /** True once a modern client must be asked: whatever the handler returns then is dropped. */
  get isSuspended(): boolean {
    return this.#suspension !== undefined
  }

  async elicit<S extends Schema>(key: string, ask: { message: string; schema: S }): Promise<Answer<Parsed<S>>> {
    const question = inputRequired.elicit({ message: ask.message, requestedSchema: ask.schema })
    const answer = (await this.#ask(key, question, 'elicitation.form')) as ElicitResult
    if (answer.action !== 'accept') return { action: answer.action }
    const checked = await ask.schema['~standard'].validate(answer.content ?? {})
    if (checked.issues !== undefined) {
      throw new ToolError(`The answer to '${key}' does not fit: ${describeIssues(checked.issues)}`)
    }
    return { action: 'accept', value: checked.value as Parsed<S> }
  }

  async elicitUrl(key: string, ask: { message: string; url: string }): Promise<Answer<undefined>> {
    const legacy = this.#context.era === 'legacy' ? { elicitationId: crypto.randomUUID() } : {}
    const question = inputRequired.elicitUrl({ ...ask, ...legacy })
    const answer = (await this.#ask(key, question, 'elicitation.url')) as ElicitResult
    return answer.action === 'accept' ? { action: 'accept', value: undefined } : { action: answer.action }
  }

  async sample(key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return (await this.#ask(key, inputRequired.createMessage(params), 'sampling')) as CreateMessageResult
  }

  async roots(): Promise<readonly Root[]> {
    const answer = await this.#ask('roots', inputRequired.listRoots(), 'roots')
    return (answer as { roots: Root[] }).roots
  }

  async once<Value extends JSONValue | void>(key: string, effect: () => Value | Promise<Value>): Promise<Value> {
    const { effects } = this.#carried
    if (Object.hasOwn(effects, key)) return effects[key]![0] as Value
    let running = this.#memo.get(key)
    if (running === undefined) {
      running = Promise.resolve(effect()) as Promise<JSONValue>
      this.#memo.set(key, running)
    }
    const value = await running
    effects[key] = value === undefined ? [] : [value]
    return value as Value
  }

  /** The result that asks a modern client. */
  toInputRequired(): Result {
    const requestState = this.#seal.seal(this.#carried as unknown as JSONObject, this.#context.binding)
    return { resultType: 'input_required', inputRequests: this.#open, requestState }
  }

  async #ask(key: string, question: InputRequest, capability: string): Promise<unknown> {
    const { answers } = this.#carried
    if (Object.hasOwn(answers, key)) return checkAnswer(key, question, answers[key])
    this.#requireCapability(capability, question.method)
    this.#context.requireOpen(key)
    if (this.#context.source.ask !== undefined) return checkAnswer(key, question, await this.#askNow(key, question))
    if (this.#context.era === 'legacy') return this.#askNow(key, question)
    this.#open[key] = question
    // Questions that are asked in the same turn, as by Promise.all, travel together.
    this.#suspension ??= new Promise((_, reject) => setImmediate(() => reject(new Suspended())))
    return this.#suspension
  }

  async #askNow(key: string, question: InputRequest): Promise<unknown> {
    const context = this.#context
    const startedAt = performance.now()
    const report = (error?: unknown) =>
      emit('mcp.client.request', () => ({
        ...context.operation(),
        method: question.method,
        ms: performance.now() - startedAt,
        ...(error !== undefined && { failure: { type: 'client', error } }),
      }))
    try {
      const answer = await context.askClient(key, question)
      report()
      return answer
    } catch (error) {
      report(error)
      if (context.signal.aborted) throw error
      throw new ToolError(`The client did not answer ${question.method}: ${messageOfThrown(error)}`, { cause: error })
    }
  }

  #requireCapability(capability: string, method: string): void {
    if (this.#context.client.can(capability)) return
    const [root, leaf] = capability.split('.') as [string, string | undefined]
    const message = `${method} needs a client with the capability '${capability}', which this one did not declare.`
    if (this.#context.era === 'legacy') throw new ToolError(message)
    const requiredCapabilities = { [root]: leaf === undefined || leaf === 'form' ? {} : { [leaf]: {} } }
    throw new McpError(errorCode.missingCapability, message, { requiredCapabilities })
  }

  #readCarried(): Carried {
    const { requestState, inputResponses } = this.#context.retry()
    const carried =
      requestState === undefined
        ? undefined
        : (this.#seal.open(requestState, this.#context.binding) as unknown as Carried)
    return {
      // Earlier answers win: effects may have followed from them.
      answers: Object.assign(emptyRecord<JSONValue>(), inputResponses, carried?.answers),
      effects: Object.assign(emptyRecord<[] | [JSONValue]>(), carried?.effects),
    }
  }
}

const answerTests: Readonly<Record<InputRequest['method'], (answer: unknown) => boolean>> = {
  'elicitation/create': isSpecType.ElicitResult,
  'sampling/createMessage': (answer) =>
    isSpecType.CreateMessageResult(answer) || isSpecType.CreateMessageResultWithTools(answer),
  'roots/list': isSpecType.ListRootsResult,
}

/** The SDK validates the answers of legacy clients only, so those of modern ones are validated here. */
function checkAnswer(key: string, { method }: InputRequest, answer: unknown): unknown {
  if (answerTests[method](answer)) return answer
  throw new McpError(errorCode.invalidParams, `The answer to '${key}' is no valid result of ${method}.`)
}

/** Keys may come out of data, and one may be `__proto__`. */
function emptyRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

/** The question as a legacy client gets it. */
export function withKey(question: InputRequest, key: string): InputRequest {
  return { ...question, params: { ...question.params, _meta: { [questionKey]: key } } } as InputRequest
}
