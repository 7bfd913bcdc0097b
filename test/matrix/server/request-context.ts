import type { Json, Question, RpcError } from '../wire-message.ts'

/** One request while the server works on it, whatever its era. */
export interface RequestContext {
  readonly params: Json
  readonly meta: Json
  /** What the server was told of its client. */
  readonly client: { readonly capabilities: Json; readonly info: unknown }
  /** Fires when the client gives up. */
  readonly signal: AbortSignal
  /** Sends nothing when the client gave no token. */
  progress(progress: Json): void
  /** Sends nothing below the level that the client wants. */
  log(level: string, data: Json): void
  /** Sends a notification that belongs to this request. */
  notify(method: string, params: Json): void
  /** Asks everything at once. A modern request is answered with the questions and starts again with the answers. */
  ask(questions: Record<string, Question>): Promise<Record<string, Json>>
  /** Only servers of the legacy era may ping. */
  ping(): Promise<Json>
}

/** Ends a request with a JSON-RPC error. */
export class Refusal extends Error {
  readonly error: RpcError

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'Refusal'
    this.error = { code, message, ...(data !== undefined && { data }) }
  }
}

export function toRpcError(error: unknown): RpcError {
  if (error instanceof Refusal) return error.error
  return { code: -32603, message: error instanceof Error ? error.message : String(error) }
}

/** The capability that a question needs, as in `{ elicitation: { url: {} } }`; null when the client has it. */
export function missingCapability(question: Question, capabilities: Json): Json | null {
  const { method, params } = question
  if (method === 'roots/list') return lacks(capabilities, 'roots') ? { roots: {} } : null
  if (method === 'sampling/createMessage') {
    if (lacks(capabilities, 'sampling')) return { sampling: {} }
    const needsTools = params['tools'] !== undefined && lacks(capabilities['sampling'] as Json, 'tools')
    return needsTools ? { sampling: { tools: {} } } : null
  }
  if (lacks(capabilities, 'elicitation')) return { elicitation: {} }
  const modes = capabilities['elicitation'] as Json
  const needsUrl = params['mode'] === 'url' && lacks(modes, 'url')
  return needsUrl ? { elicitation: { url: {} } } : null
}

function lacks(capabilities: Json, name: string): boolean {
  return typeof capabilities[name] !== 'object' || capabilities[name] === null
}
