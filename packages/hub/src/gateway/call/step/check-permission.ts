import type { Exchange } from '../exchange.ts'
import { subjectOf } from '../subject-of.ts'
import type { CallContext } from './call-steps.ts'

/** Refuses what the principal may not call. */
export function checkPermission(exchange: Exchange, { permission }: CallContext): void {
  // Whether a resource may be read was asked when its call began.
  if (exchange.entry !== null) permission.require(exchange, subjectOf(exchange.entry))
}
