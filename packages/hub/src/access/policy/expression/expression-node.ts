/**
 * The parts of a parsed expression that @marcbachmann/cel-js shows but does not type. The version of the library is
 * exact, and the tests of `meter-expression.ts` fail when a newer one works otherwise.
 */
export interface ExpressionNode {
  readonly op: string
  readonly args: unknown
  readonly start: number
  readonly end: number
  readonly input: string
  readonly meta: {
    /** What a macro such as `exists` was turned into. */
    readonly alternate?: ExpressionNode
    readonly macro?: object
    readonly evaluate: Evaluate
  }
  setMeta(key: 'evaluate', value: Evaluate): this
}

export type Evaluate = (evaluator: Evaluator, node: ExpressionNode, context: object) => unknown

interface Evaluator {
  run(node: ExpressionNode, context: object): unknown
}

/** The node that is evaluated in place of this one, or this one. */
export function settled(node: ExpressionNode): ExpressionNode {
  return node.meta.alternate === undefined ? node : settled(node.meta.alternate)
}

/** The nodes that this one is made of. */
export function partsOf({ op, args }: ExpressionNode): ExpressionNode[] {
  if (op === 'value' || op === 'id') return []
  if (op !== 'comprehension') return nodesIn(args)
  const { iterable, init, step } = args as Record<'iterable' | 'init' | 'step', ExpressionNode>
  return [iterable, init, step]
}

/** Each once, the outermost first. */
export function allNodes(root: ExpressionNode, found = new Set<ExpressionNode>()): Set<ExpressionNode> {
  const node = settled(root)
  if (found.has(node)) return found
  found.add(node)
  for (const part of partsOf(node)) allNodes(part, found)
  return found
}

function nodesIn(value: unknown): ExpressionNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value] : []
}

function isNode(value: unknown): value is ExpressionNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'setMeta' in value
}
