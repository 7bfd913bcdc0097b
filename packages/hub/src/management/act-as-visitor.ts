import { randomBytes } from 'node:crypto'
import { HubError, Principal } from '@herma/contract'
import type { Context } from '@herma/framework'
import { actAs } from '../platform/events.ts'

/**
 * Runs a tool as whoever calls it. What it does is theirs also when they hang up, or come back with an answer, while it
 * runs; without anybody it does nothing, because the hub itself may do everything.
 */
export function actAsVisitor<T>(context: Pick<Context, 'principal'>, work: () => Promise<T>): Promise<T> {
  const visitor = Principal.safeParse(context.principal?.claims?.['visitor'])
  if (!visitor.success) throw new HubError('UNAUTHENTICATED', 'Nobody is known to have called this tool.')
  return actAs({ principal: visitor.data, traceId: randomBytes(16).toString('hex') }, work)
}
