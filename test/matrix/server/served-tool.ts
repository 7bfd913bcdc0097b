import type { Revision } from '../revision.ts'
import type { Json } from '../wire-message.ts'
import type { RequestContext } from './request-context.ts'
import type { World } from './world.ts'

export interface ServedTool {
  readonly name: string
  readonly description: string
  /** The oldest revision whose servers have it. */
  readonly from?: Revision
  /** The newest one. */
  readonly until?: Revision
  readonly properties?: Record<string, Json>
  readonly outputSchema?: Json
  call(args: Json, context: RequestContext, world: World): Json | Promise<Json>
}

export const text = { type: 'string' }

export function textResult(said: string): Json {
  return { content: [{ type: 'text', text: said }] }
}

export function failedResult(said: string): Json {
  return { ...textResult(said), isError: true }
}
