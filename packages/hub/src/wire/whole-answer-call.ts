import type { HubError } from '@herma/contract'
import type { Answer, Call, Caller, Outcome, Question, CallRunner } from './message/call.ts'
import type { NotificationMessage, Params, RpcError } from './message/message.ts'
import type { ParamHeader } from '@herma/framework/wire'
import type { Era } from './revision.ts'

/** A call of the hub's own making: no client waits for its bytes, so that its answer always comes whole. */
export abstract class WholeAnswerCall implements Call {
  readonly method: string
  readonly message = null
  params: Params | undefined
  readonly caller: Caller
  paramHeaders: readonly ParamHeader[] | null = null
  readonly nameHeader = null
  isDone = false
  runner: CallRunner | null = null
  onDone: ((outcome: Outcome) => void) | null = null

  constructor(method: string, params: Params | undefined, caller: Caller) {
    this.method = method
    this.params = params
    this.caller = caller
  }

  abstract respond(bytes: Buffer, id: number, from: Era): void
  abstract fail(error: HubError): void
  abstract failWith(error: RpcError, from: Era): void
  abstract ask(question: Question, signal: AbortSignal): Promise<Answer>

  beginRespond(): boolean {
    return false
  }

  continueRespond(): boolean {
    return true
  }

  endRespond(): void {
    // Never begun.
  }

  notify(_message: NotificationMessage): boolean {
    return true
  }
}
