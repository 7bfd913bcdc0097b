import { HubError } from '@herma/contract'
import { ruleTypes, ruleVariables } from './rule-environment.ts'

interface Place {
  readonly start: number
}

/** Why an expression cannot be a rule, and where in its text. */
export class ExpressionProblem extends Error {
  readonly place: Place | undefined

  constructor(message: string, place: Place | undefined) {
    super(message)
    this.place = place
  }
}

/** What somebody who wrote a rule is told: what is wrong, at which line and column, and what there is instead. */
export function refuseExpression({ message, place }: ExpressionProblem, text: string): HubError {
  const before = text.slice(0, place?.start ?? 0).split('\n')
  const [line, column] = [before.length, before.at(-1)!.length + 1]
  const where = place === undefined ? '' : ` at line ${line}, column ${column}`
  return new HubError('RULE_INVALID', `The rule cannot be read${where}: ${message}. ${hintFor(message)}`, {
    data: place === undefined ? {} : { line, column },
  })
}

function hintFor(message: string): string {
  const field = /^No such key: (\w+)/.exec(message)
  if (field === null) return `A rule sees: ${Object.keys(ruleVariables).join(', ')}.`
  const types = Object.entries(ruleVariables).flatMap(([name, type]) => {
    const fields = ruleTypes[type]
    return fields === undefined ? [] : [`${name} has ${Object.keys(fields).join(', ')}`]
  })
  return `${types.join('; ')}.`
}
