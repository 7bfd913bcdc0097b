import { RE2JS } from 're2js'
import { allNodes, type Evaluate, type ExpressionNode, partsOf, settled } from './expression-node.ts'
import { ExpressionProblem } from './expression-problem.ts'
import type { Meter } from './meter.ts'
import { RuleFailure } from './rule-failure.ts'

const maxPatternSize = 500
const comparisons: ReadonlySet<string> = new Set(['==', '!=', 'in'])
const operators: ReadonlySet<string> = new Set([...comparisons, '+', '-', '*', '/', '%', '<', '<=', '>', '>='])
/** These make something of every character, or of every element. */
const thoroughFunctions: ReadonlySet<string> = new Set([
  'split',
  'join',
  'size',
  'hex',
  'base64',
  'json',
  'bytes',
  'string',
  'lowerAscii',
  'upperAscii',
  'trim',
])
/** Building a calendar of a time zone takes this long. */
const timeZoneUnits = 1000

/**
 * Makes an expression that was checked pay for everything that it does, and match patterns in linear time. Throws
 * ExpressionProblem for what cannot be bounded.
 */
export function meterExpression(root: ExpressionNode, meter: Meter): void {
  const nodes = allNodes(root)
  for (const node of nodes) {
    refuseBinding(node)
    pay(node, (evaluate) => priced(node, evaluate, meter))
  }
  const operands = new Map<ExpressionNode, Price>()
  for (const node of nodes) {
    const price = priceOf(node)
    if (price !== null) for (const part of operandsOf(node)) operands.set(settled(part), price)
  }
  for (const [node, price] of operands) pay(node, (evaluate) => pricedOperand(evaluate, price, meter))
}

/** A name for a value would let a short rule double it again and again, past what its operands pay. */
function refuseBinding(node: ExpressionNode): void {
  if (node.op === 'rcall' && node.meta.macro !== undefined)
    throw new ExpressionProblem('cel.bind() is not available', node)
}

type Price = 'deep' | 'thorough' | 'shallow'

function pay(node: ExpressionNode, change: (evaluate: Evaluate) => Evaluate): void {
  // Constants are no work, and has() does a fixed amount of it.
  if (node.op !== 'value' && node.meta.macro === undefined) node.setMeta('evaluate', change(node.meta.evaluate))
}

function priced(node: ExpressionNode, evaluate: Evaluate, meter: Meter): Evaluate {
  if (node.op === 'rcall') {
    const [name, receiver, values] = node.args as [string, ExpressionNode, ExpressionNode[]]
    if (name === 'matches' && values.length === 1) return linearMatch(receiver, values[0]!, meter)
    if (name.startsWith('get') && values.length === 1) return spending(evaluate, timeZoneUnits, meter)
  }
  return spending(evaluate, 1, meter)
}

function spending(evaluate: Evaluate, units: number, meter: Meter): Evaluate {
  return (evaluator, node, context) => {
    meter.spend(units)
    try {
      return evaluate(evaluator, node, context)
    } catch (error) {
      meter.spendForError(error)
      throw error
    }
  }
}

function pricedOperand(evaluate: Evaluate, price: Price, meter: Meter): Evaluate {
  return (evaluator, node, context) => {
    const value = evaluate(evaluator, node, context)
    meter.spendFor(value, price === 'deep')
    if (price === 'thorough' && typeof value === 'string') meter.spend(value.length >> 3)
    return value
  }
}

function priceOf({ op, args }: ExpressionNode): Price | null {
  if (comparisons.has(op)) return 'deep'
  if (operators.has(op) || op === 'comprehension') return 'shallow'
  if (op !== 'call' && op !== 'rcall') return null
  return thoroughFunctions.has((args as [string])[0]) ? 'thorough' : 'shallow'
}

function operandsOf(node: ExpressionNode): ExpressionNode[] {
  // What a comprehension does with each element pays for itself.
  return node.op === 'comprehension' ? partsOf(node).slice(0, 1) : partsOf(node)
}

/** RegExp could take for ever on a string that somebody chose: RE2 cannot, and it is what CEL asks for. */
function linearMatch(receiver: ExpressionNode, pattern: ExpressionNode, meter: Meter): Evaluate {
  const compiled = compilePattern(pattern)
  const size = compiled.programSize()
  return (evaluator, _node, context) => {
    const text = evaluator.run(receiver, context)
    if (typeof text !== 'string') throw new RuleFailure('matches() is asked of something that is no text')
    meter.spend(1 + Math.floor((text.length * size) / 4))
    return compiled.test(text)
  }
}

function compilePattern(node: ExpressionNode): RE2JS {
  const pattern = node.op === 'value' ? node.args : undefined
  if (typeof pattern !== 'string') throw new ExpressionProblem('matches() needs its pattern as a text in quotes', node)
  let compiled
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    throw new ExpressionProblem((error as Error).message, node)
  }
  if (compiled.programSize() <= maxPatternSize) return compiled
  throw new ExpressionProblem('the pattern is too large: repeat less', node)
}
