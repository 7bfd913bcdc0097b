import { HubError } from '@herma/contract'
import type { Action } from '../action.ts'
import { allNodes, type ExpressionNode } from './expression-node.ts'
import { ExpressionProblem, refuseExpression } from './expression-problem.ts'
import type { Meter } from './meter.ts'
import { meterExpression } from './meter-expression.ts'
import type { RuleContext } from './rule-context.ts'
import { ruleEnvironment, ruleVariables } from './rule-environment.ts'
import { guardsOf, pathOf, type RuleGuard } from './rule-guards.ts'

/** A rule that is ready to be asked. */
export interface CompiledRule {
  readonly id: string
  readonly effect: 'allow' | 'deny'
  readonly description: string
  /** Exposed names of the only tools that it can be about; null for any. */
  readonly tools: ReadonlySet<string> | null
  readonly guards: readonly RuleGuard[]
  /** The fields that it looks at, for people who want to know why: `principal.role`, `arguments.path`. */
  readonly fields: readonly string[]
  readonly usesArguments: boolean
  /** Throws when it cannot be worked out. */
  matches(context: RuleContext): boolean
}

export interface RuleText {
  readonly id: string
  readonly effect: 'allow' | 'deny'
  readonly description: string
  readonly when: string
}

/** Throws RULE_INVALID, with the place in the text, for what is no rule. */
export function compileRule({ id, effect, description, when }: RuleText, meter: Meter): CompiledRule {
  try {
    const { expression, root } = parseExpression(when)
    const guards = guardsOf(root)
    const fields = fieldsOf(root)
    meterExpression(root, meter)
    return {
      id,
      effect,
      description,
      tools: guards.find(({ field }) => field === 'tool')?.values ?? null,
      guards,
      fields,
      usesArguments: fields.some((field) => field === 'arguments' || field.startsWith('arguments.')),
      matches(context) {
        try {
          return expression(context) === true
        } finally {
          // Whatever came out of it: it was not worked out to the end.
          meter.assertNotSpent()
        }
      },
    }
  } catch (error) {
    if (error instanceof ExpressionProblem) throw refuseExpression(error, when)
    throw error
  }
}

/** Whether the fixed values that a rule names leave it a chance to match. */
export function mayMatch({ guards }: CompiledRule, action: Action): boolean {
  for (const { read, values } of guards) if (!values.has(read(action))) return false
  return true
}

function parseExpression(text: string) {
  let expression
  try {
    expression = ruleEnvironment.parse(text)
  } catch (error) {
    throw problemOf(error)
  }
  const { valid, type, error } = expression.check()
  if (!valid) throw problemOf(error)
  const root = expression.ast as unknown as ExpressionNode
  if (type === 'bool') return { expression, root }
  throw new ExpressionProblem(`it gives ${describeType(type)} and not true or false; compare it with something`, root)
}

function describeType(type: string | undefined): string {
  return type === undefined || type === 'dyn' ? 'any value' : `a value of type ${type}`
}

interface LibraryError {
  readonly summary?: string
  readonly range?: { readonly start: number }
}

function problemOf(error: unknown): ExpressionProblem {
  const { summary, range } = error as LibraryError
  if (summary === undefined)
    throw new HubError('RULE_INVALID', 'The rule cannot be read. Make it simpler.', { cause: error })
  return new ExpressionProblem(summary, range)
}

function fieldsOf(root: ExpressionNode): string[] {
  const paths = [...allNodes(root)].flatMap((node) => pathOf(node) ?? [])
  const known = paths.filter((path) => Object.hasOwn(ruleVariables, path.split('.', 1)[0]!))
  // Of `principal` and `principal.role` the longer one says it.
  return [...new Set(known)].filter((path) => !known.some((other) => other.startsWith(`${path}.`)))
}
