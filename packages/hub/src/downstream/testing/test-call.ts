import type { HubError } from '@herma/contract'
import type {
  Answer,
  Call,
  Caller,
  Era,
  NotificationMessage,
  Outcome,
  Params,
  Question,
  RpcError,
  Runner,
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
export class TestCall implements Call {
  readonly method = 'tools/call'
  params: Params | undefined
  readonly caller: Caller
  paramHeaders = null
  readonly nameHeader = null
  isDone = false
  runner: Runner | null = null
  onDone: ((outcome: Outcome) => void) | null = null
  readonly asked: { question: Question; signal: AbortSignal }[] = []
  answer: string | null = null
  error: HubError | RpcError | null = null
  readonly #answering: (question: Question, signal: AbortSignal) => Promise<Answer>

  constructor(
    caller: Caller = createCaller(),
    answering: (question: Question, signal: AbortSignal) => Promise<Answer> = () => Promise.resolve({ result: {} }),
    params: Params = {},
  ) {
    this.caller = caller
    this.params = params
    this.#answering = answering
  }

  respond(bytes: Buffer): void {
    this.isDone = true
    this.answer = bytes.toString('utf8')
  }

  beginRespond(): boolean {
    return false
  }

  continueRespond(): boolean {
    return true
  }

  endRespond(): void {
    this.isDone = true
  }

  fail(error: HubError): void {
    this.isDone = true
    this.error = error
  }

  failWith(error: RpcError): void {
    this.isDone = true
    this.error = error
  }

  notify(_message: NotificationMessage): boolean {
    return true
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
