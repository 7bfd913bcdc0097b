import type { TurnEvent, Usage } from '../../turn/types.ts'
import { noUsage } from '../../turn/usage.ts'

export interface AgentFailure {
  readonly message: string
  /** The HTTP status of the agent's own provider, where it tells. */
  readonly status?: number | undefined
}

/** What is kept of a result of the agent's tools, to be shown. */
const maxResultLength = 10_000
const maxTextLength = 4 * 1024 * 1024
/** Calls that have no result so far. */
const maxOpenCalls = 1000

/** What an agent told of its work so far. */
export class AgentTalk {
  readonly #onEvent: (event: TurnEvent) => void
  readonly #calls = new Map<string, { readonly name: string; readonly startedAt: number }>()
  /** What it said last. */
  text = ''
  usage: Usage = noUsage
  costUsd: number | null = null
  steps = 0
  toolCalls = 0
  threadId: string | undefined
  /** It said itself that it is done. */
  isDone = false
  /** A limit of its own that it reached. */
  limit: 'steps' | 'cost' | null = null
  failure: AgentFailure | null = null

  constructor(onEvent: (event: TurnEvent) => void) {
    this.#onEvent = onEvent
  }

  /** A whole message; the last one is the answer. */
  say(text: string): void {
    if (text === '') return
    const isFirst = this.text === ''
    this.text = text.slice(0, maxTextLength)
    this.#onEvent({ type: 'text-delta', text: isFirst ? text : `\n\n${text}` })
  }

  /** A piece of the only message. */
  sayOn(text: string): void {
    if (text === '') return
    this.text = (this.text + text).slice(0, maxTextLength)
    this.#onEvent({ type: 'text-delta', text })
  }

  think(text: string): void {
    if (text !== '') this.#onEvent({ type: 'reasoning-delta', text })
  }

  call(id: string, name: string, args: Record<string, unknown>): void {
    if (this.#calls.has(id) || this.#calls.size >= maxOpenCalls) return
    this.toolCalls++
    this.#calls.set(id, { name, startedAt: performance.now() })
    this.#onEvent({ type: 'tool-call', id, name, arguments: args })
  }

  /** A result without a call, or a second one, says nothing. */
  result(id: string, { text, isError }: { readonly text: string; readonly isError: boolean }): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    const ms = Math.round(performance.now() - call.startedAt)
    this.#onEvent({ type: 'tool-result', id, name: call.name, isError, ms, text: text.slice(0, maxResultLength) })
  }

  warn(text: string): void {
    this.#onEvent({ type: 'warning', text })
  }
}
