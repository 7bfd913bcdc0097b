import { HubError } from '@herma/contract'
import {
  facadeName,
  isNestedTooDeep,
  localOperator,
  markMembers,
  maxNesting,
  metaKeys,
  modernRevision,
  readJson,
  WholeAnswerCall,
  type Era,
  type Params,
  type RpcError,
} from '../../wire/index.ts'

/** How the hub names itself to servers. */
export const hubInfo = { name: 'herma', title: 'Herma', version: '0.1.0' }

/** An error that a server answered with, as it came. */
export class AnsweredError extends Error {
  readonly error: RpcError

  constructor(error: RpcError) {
    super(error.message)
    this.name = 'AnsweredError'
    this.error = error
  }
}

/** A call that the hub makes itself: its result is parsed and handed to a promise. */
export class RequestCall extends WholeAnswerCall {
  onEnd: (() => void) | null = null
  readonly #settle: { resolve(result: unknown): void; reject(error: Error): void }

  constructor(
    method: string,
    params: Params | undefined,
    era: Era,
    settle: { resolve(result: unknown): void; reject(error: Error): void },
  ) {
    super(method, era === 'modern' ? { ...params, _meta: hubMeta() } : params, {
      principal: localOperator,
      server: facadeName,
      era,
      revision: modernRevision,
      clientInfo: hubInfo,
      capabilities: {},
      connectionId: null,
      logLevel: null,
    })
    this.#settle = settle
  }

  respond(bytes: Buffer): void {
    this.#end(() => {
      if (isNestedTooDeep(bytes)) throw new Error(`its answer is nested deeper than ${maxNesting} levels`)
      const message = readJson(bytes.toString('utf8')) as { result?: unknown; error?: RpcError }
      markMembers(message)
      if (message.error !== undefined) throw new AnsweredError(message.error)
      return message.result
    })
  }

  fail(error: HubError): void {
    this.#end(() => {
      throw error
    })
  }

  failWith(error: RpcError): void {
    this.#end(() => {
      throw new AnsweredError(error)
    })
  }

  /** Ends the call from our side and tells the server. */
  giveUp(error: HubError): void {
    if (this.isDone) return
    this.fail(error)
    this.runner?.cancel(error.message)
  }

  ask(): Promise<never> {
    return Promise.reject(new HubError('CAPABILITY_MISSING', 'The hub itself answers no questions.'))
  }

  #end(settle: () => unknown): void {
    if (this.isDone) return
    this.isDone = true
    this.onEnd?.()
    try {
      this.#settle.resolve(settle())
    } catch (error) {
      this.#settle.reject(error as Error)
    }
  }
}

/** The `_meta` of a modern request of the hub's own. */
export function hubMeta(): Record<string, unknown> {
  return { [metaKeys.revision]: modernRevision, [metaKeys.clientInfo]: hubInfo, [metaKeys.clientCapabilities]: {} }
}
