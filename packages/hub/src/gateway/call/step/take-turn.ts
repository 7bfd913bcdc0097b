import type { Exchange } from '../exchange.ts'
import type { CallContext } from './call-steps.ts'

/** Takes one of the calls that the principal may make and have under way. */
export function takeTurn(exchange: Exchange, { permission }: CallContext): void {
  exchange.turn = permission.admit(exchange)
}
