import type { HubError } from '@herma/contract'
import {
  WholeAnswerCall,
  type Answer,
  type Caller,
  type Era,
  type Params,
  type Question,
  type RpcError,
} from '../../wire/index.ts'

/** A caller of either era; a connection makes it a legacy one. */
export function createCaller(
  connectionId: string | null = null,
  capabilities: Record<string, unknown> = { elicitation: {} },
): Caller {
  const era: Era = connectionId === null ? 'modern' : 'legacy'
  const revision = era === 'modern' ? '2026-07-28' : '2025-11-25'
  const who = { principal: 'operator', server: 'facade', clientInfo: {} }
  return { ...who, era, revision, capabilities, connectionId, logLevel: null }
}

/** A call that writes down what becomes of it. */
export class TestCall extends WholeAnswerCall {
  readonly asked: { question: Question; signal: AbortSignal }[] = []
  answer: string | null = null
  error: HubError | RpcError | null = null
  readonly #answering: (question: Question, signal: AbortSignal) => Promise<Answer>

  constructor(
    caller: Caller = createCaller(),
    answering: (question: Question, signal: AbortSignal) => Promise<Answer> = () => Promise.resolve({ result: {} }),
    params: Params = {},
  ) {
    super('tools/call', params, caller)
    this.#answering = answering
  }

  respond(bytes: Buffer): void {
    this.isDone = true
    this.answer = bytes.toString('utf8')
  }

  fail(error: HubError): void {
    this.isDone = true
    this.error = error
  }

  failWith(error: RpcError): void {
    this.isDone = true
    this.error = error
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    this.asked.push({ question, signal })
    return this.#answering(question, signal)
  }

  /** The client gives up. */
  cancel(): void {
    this.isDone = true
    this.runner?.cancel('the client gave up')
  }
}
