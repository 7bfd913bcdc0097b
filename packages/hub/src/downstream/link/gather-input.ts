import { HubError } from '@herma/contract'
import type { Answer, Call, InputRequired, Params, CallRunner } from '../../wire/index.ts'

/** How often a server may come back with questions about one call. */
const maxRounds = 32
/** A server that only asks to be called again is given time, more each round. */
const firstPauseMs = 100
const maxPauseMs = 5000

/** What is kept of a call from one round to the next. */
interface Rounds {
  count: number
  readonly params: Params | undefined
}

/**
 * Answers the `input_required` of a modern server on behalf of a legacy client: asks it as legacy servers do, and sends
 * the call again with what it said.
 */
export class InputGatherer {
  readonly #rounds = new WeakMap<Call, Rounds>()
  readonly #place: Pick<CallRunner, 'connector' | 'connectorId'>
  readonly #send: (call: Call) => void

  constructor(place: Pick<CallRunner, 'connector' | 'connectorId'>, send: (call: Call) => void) {
    this.#place = place
    this.#send = send
  }

  async gather(call: Call, input: InputRequired): Promise<void> {
    const rounds = this.#rounds.get(call) ?? { count: 0, params: call.params }
    this.#rounds.set(call, rounds)
    if (++rounds.count > maxRounds) {
      return call.fail(this.#error(`asked for input ${maxRounds} times and was stopped.`))
    }
    const controller = new AbortController()
    call.runner = { ...this.#place, cancel: (reason) => controller.abort(new Error(reason)) }
    const asked = [...input.questions].map(async ([key, question]) => {
      return [key, await call.ask(question, controller.signal)] as const
    })
    if (asked.length === 0) await pause(rounds.count)
    const answers = await Promise.all(asked)
    if (call.isDone) return
    const refused = answers.find(([, answer]) => answer.error !== undefined)
    // There is no way to tell a modern server that a question was refused; a modern client does not come back either.
    if (refused !== undefined) return call.failWith(refusalOf(refused[1]), 'legacy')
    const { requestState } = input
    call.params = {
      ...rounds.params,
      ...(answers.length > 0 && { inputResponses: toResponses(answers) }),
      ...(requestState !== undefined && { requestState }),
    }
    this.#send(call)
  }

  #error(text: string): HubError {
    return new HubError('DOWNSTREAM_FAILED', `'${this.#place.connector}' ${text}`)
  }
}

function toResponses(answers: readonly (readonly [string, Answer])[]): Record<string, unknown> {
  return Object.fromEntries(answers.map(([key, { result }]) => [key, result]))
}

function refusalOf({ error }: Answer) {
  return { ...error!, message: `The client did not give the input that the server needs: ${error!.message}` }
}

function pause(round: number): Promise<void> {
  const waitMs = Math.min(firstPauseMs * 2 ** (round - 1), maxPauseMs)
  return new Promise((resolve) => setTimeout(resolve, waitMs))
}
