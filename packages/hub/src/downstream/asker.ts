import type { Call } from '../wire/index.ts'
import type { Pending } from './link.ts'
import { RequestCall } from './request-call.ts'

/**
 * Who would be asked on behalf of a call. A legacy client is known by its connection, so its calls are alike; two modern
 * requests may come from two people, so each is an asker of its own.
 */
export function askerOf(call: Call): unknown {
  return call.caller.connectionId ?? call
}

/** The calls of clients among these: the hub's own requests can be asked nothing. */
export function clientCalls(pending: Iterable<Pending>): Pending[] {
  return [...pending].filter(({ call }) => !(call instanceof RequestCall))
}

export function askersOf(pending: Iterable<Pending>): Set<unknown> {
  return new Set(clientCalls(pending).map(({ call }) => askerOf(call)))
}
