import { errorCode } from '../protocol/errors.ts'
import type { Events } from './events.ts'

type Ended = Pick<Events['mcp.request.end'], 'failure' | 'isError'>

/** How an operation ended, in one word: `ok`, `tool_error`, or the type of its failure. */
export function outcomeOf(event: Ended): string {
  if (event.failure !== undefined) return event.failure.type
  return event.isError === true ? 'tool_error' : 'ok'
}

/**
 * `error.type` of the semantic conventions: the code that the client got, `tool_error`, or the type of the failure.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
export function errorTypeOf(event: Ended): string | undefined {
  if (event.failure?.code !== undefined) return String(event.failure.code)
  const outcome = outcomeOf(event)
  return outcome === 'ok' ? undefined : outcome
}

/** False when the answer says that there is no such method: then its name is only what a client made up. */
export function hasMethod(event: Ended): boolean {
  return event.failure?.code !== errorCode.methodNotFound
}

const saysNoSuchTarget: ReadonlySet<number> = new Set([
  errorCode.methodNotFound,
  errorCode.invalidParams,
  errorCode.resourceNotFound,
])

/** False when the answer may say that there is no such tool or prompt: clients get -32602 for those. */
export function hasTarget(event: Ended): boolean {
  return event.failure?.code === undefined || !saysNoSuchTarget.has(event.failure.code)
}
