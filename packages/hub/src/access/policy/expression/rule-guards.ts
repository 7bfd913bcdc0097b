import type { Principal } from '@herma/contract'
import type { Action } from '../action.ts'
import { type ExpressionNode, settled } from './expression-node.ts'
import { toolOf } from './rule-context.ts'

/** A part of a rule that can be looked up without running it: one of these values, or the rule does not match. */
export interface RuleGuard {
  readonly field: string
  read(action: Action): string
  readonly values: ReadonlySet<string>
}

/** The comparisons with fixed values that all have to hold: `tool == "x"` and `server in ["a", "b"]`, joined by `&&`. */
export function guardsOf(root: ExpressionNode): RuleGuard[] {
  const node = settled(root)
  if (node.op === '&&') return operandsOf(node).flatMap(guardsOf)
  if (node.op !== '==' && node.op !== 'in') return []
  const [left, right] = operandsOf(node)
  const guard = readGuard(left!, right!) ?? (node.op === '==' ? readGuard(right!, left!) : null)
  return guard === null ? [] : [guard]
}

function readGuard(variable: ExpressionNode, constant: ExpressionNode): RuleGuard | null {
  const field = pathOf(variable) ?? ''
  const read = readers.get(field)
  const values = textsOf(constant)
  return read === undefined || values === null ? null : { field, read, values: new Set(values) }
}

const principalFields = ['id', 'kind', 'name', 'role'] as const satisfies (keyof Principal)[]

const readers: ReadonlyMap<string, (action: Action) => string> = new Map<string, (action: Action) => string>([
  ['server', ({ server }) => server],
  ['connector', ({ connector }) => connector ?? ''],
  ['tool', toolOf],
  ['original', ({ original }) => original ?? ''],
  ['method', ({ method }) => method],
  ['target', ({ target }) => target],
  ...principalFields.map((field) => [`principal.${field}`, ({ principal }: Action) => principal[field]] as const),
])

/** `principal.role` for a chain of names, null for anything else. */
export function pathOf(root: ExpressionNode): string | null {
  const node = settled(root)
  if (node.op === 'id') return node.args as string
  if (node.op !== '.') return null
  const [owner, field] = node.args as [ExpressionNode, string]
  const path = pathOf(owner)
  return path === null ? null : `${path}.${field}`
}

function textsOf(root: ExpressionNode): string[] | null {
  const node = settled(root)
  if (node.op === 'value') return typeof node.args === 'string' ? [node.args] : null
  if (node.op !== 'list') return null
  const texts = (node.args as ExpressionNode[]).map(textsOf)
  return texts.every((text) => text !== null) ? texts.flat() : null
}

function operandsOf(node: ExpressionNode): ExpressionNode[] {
  return node.args as ExpressionNode[]
}
