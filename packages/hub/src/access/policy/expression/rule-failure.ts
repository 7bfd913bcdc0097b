import { EvaluationError } from '@marcbachmann/cel-js'

/** Why a rule could not be worked out. Its message never holds a value of the call. */
export class RuleFailure extends Error {
  override readonly name = 'RuleFailure'
}

/** In words that hold the text of the rule only: messages of the library may quote arguments of a call. */
export function describeRuleFailure(error: unknown): string {
  if (error instanceof RuleFailure) return error.message
  if (!(error instanceof EvaluationError)) return 'an operation failed'
  const what = error.code.replaceAll('_', ' ')
  const { node } = error
  return node === undefined ? what : `${what} at '${node.input.slice(node.start, node.end)}'`
}
