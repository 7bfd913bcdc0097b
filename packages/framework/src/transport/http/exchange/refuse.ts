import type { RequestId } from '@modelcontextprotocol/server'
import type { AuthAnswer } from '../../../auth/auth.ts'
import { errorMessage } from '../../../protocol/message.ts'
import type { HttpExchange } from './exchange.ts'

export const jsonHeaders = ['Content-Type', 'application/json'] as const

export interface Refusal {
  readonly status: number
  readonly code: number
  readonly text: string
  readonly id?: RequestId | null
  readonly data?: unknown
  readonly headers?: readonly string[]
}

/** Answers with a status and a JSON-RPC error. Returns undefined, so that a caller can return the refusal itself. */
export function refuse(exchange: HttpExchange, refusal: Refusal): undefined {
  const { status, code, text, data, headers = [] } = refusal
  // The id of a broken message may be of any type.
  const id = typeof refusal.id === 'string' || typeof refusal.id === 'number' ? refusal.id : null
  exchange.answer(status, [...jsonHeaders, ...headers], JSON.stringify(errorMessage(id, code, text, data)))
  return undefined
}

/** Gives the answer of whoever decides about access. */
export function giveAuthAnswer(exchange: HttpExchange, { status, headers, body }: AuthAnswer): undefined {
  exchange.answer(status, Object.entries(headers).flat(), body)
  return undefined
}
