import { isDeepStrictEqual } from 'node:util'
import { plainResult } from '../../e2e/plain-result.ts'
import type { Step } from './attempts.ts'
import type { InteropClient, Outcome, ServerError } from './client.ts'

const maxShownCharacters = 600

/** Says what is wrong with what a client showed for a step; undefined when it is exactly what was expected. */
export function judgeOutcome(client: Pick<InteropClient, 'shows'>, step: Step, outcome: Outcome): string | undefined {
  const { expected, request, trim = (result) => result } = step
  if (expected.error !== undefined || outcome.error !== undefined) {
    if (isSameError(outcome.error, expected.error)) return undefined
    return `error ${print(outcome.error)} instead of ${print(expected.error)}: ${print(outcome.result)}`
  }
  const shown = asWire(trim(withoutDefault(plainResult(outcome.result))))
  const wanted = asWire(client.shows ? client.shows(request, expected.result) : expected.result)
  if (!isDeepStrictEqual(shown, wanted)) return `showed ${print(shown)}\n    instead of ${print(wanted)}`
  if (expected.progress && outcome.progress && !isProgressSeen(outcome.progress, expected.progress)) {
    return `showed the progress ${print(outcome.progress)} instead of ${print(expected.progress)}`
  }
  return undefined
}

/** Of an error that the hub makes the text is free; what a server said has to arrive whole. */
function isSameError(shown: ServerError | undefined, expected: ServerError | undefined): boolean {
  if (shown === undefined || expected === undefined || expected.message !== undefined) {
    return isDeepStrictEqual(asWire(shown), asWire(expected))
  }
  return shown.code === expected.code
}

/** Some clients write down that a result is no error, which is what its absence says. */
function withoutDefault(result: unknown): unknown {
  const { isError, ...rest } = result as { isError?: boolean }
  return isError === false ? rest : result
}

/** Clients may drop an event that arrives in one piece with the result, so the last one may be missing. */
function isProgressSeen(shown: readonly number[], expected: readonly number[]): boolean {
  return shown.length >= expected.length - 1 && isDeepStrictEqual([...shown], expected.slice(0, shown.length))
}

function asWire(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
}

function print(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= maxShownCharacters ? text : `${text.slice(0, maxShownCharacters)}… (${text.length} characters)`
}
