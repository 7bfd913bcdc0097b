import { HubError } from '@herma/contract'
import { isObject } from '../../wire/index.ts'
import type { Exchange } from './exchange.ts'

/** Encrypts and authenticates what passes through a client. */
export interface StateSealer {
  seal(plaintext: string): string
  /** Null for anything that was not sealed here, was changed, or is too old. */
  open(token: string): string | null
}

/** What a `requestState` of ours says. */
export type RequestState =
  /** A call that waits here. */
  | { readonly kind: 'parked'; readonly id: string; readonly round: number }
  /** The state of a modern server, and which one. */
  | { readonly kind: 'through'; readonly connectorId: string; readonly inner: string | null }
  /** The call is to be sent once more, as new. */
  | { readonly kind: 'again'; readonly connectorId: string }

/** Binds a state to who asked, where, the method and what it names: it is of no use with any other request. */
export function sealState(sealer: StateSealer, exchange: Exchange, state: RequestState): string {
  return sealer.seal(JSON.stringify({ ...state, bound: boundTo(exchange) }))
}

export function readState(sealer: StateSealer, exchange: Exchange): RequestState {
  const token = exchange.params?.['requestState']
  const text = typeof token === 'string' ? sealer.open(token) : null
  const state: unknown = text === null ? null : JSON.parse(text)
  if (!isObject(state)) {
    throw new HubError(
      'INVALID_PARAMS',
      'This requestState was changed, has expired, or is of another hub. Send the request again without it.',
    )
  }
  if (state['bound'] !== boundTo(exchange)) {
    throw new HubError('INVALID_PARAMS', 'This requestState belongs to another request. Send it with its own.')
  }
  return state as unknown as RequestState
}

function boundTo({ caller, method, target }: Exchange): string {
  return JSON.stringify([caller.server, caller.principal, method, target ?? null])
}
