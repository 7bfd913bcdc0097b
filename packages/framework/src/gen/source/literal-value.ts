import type { ts } from '@ts-morph/common'
import type { Compiler } from './compiler.ts'

/** The value of an expression that is written out: literals, and arrays and objects of them. Undefined for others. */
export function literalValue(ts: Compiler, node: ts.Expression): unknown {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)) {
    return literalValue(ts, node.expression)
  }
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = literalValue(ts, node.operand)
    return typeof value === 'number' ? -value : undefined
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false
  if (node.kind === ts.SyntaxKind.NullKeyword) return null
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((item) => literalValue(ts, item))
    return items.includes(undefined) ? undefined : items
  }
  return ts.isObjectLiteralExpression(node) ? objectValue(ts, node) : undefined
}

function objectValue(ts: Compiler, node: ts.ObjectLiteralExpression): object | undefined {
  const entries: [string, unknown][] = []
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property)) return undefined
    const { name } = property
    const value = literalValue(ts, property.initializer)
    if (value === undefined || ts.isComputedPropertyName(name) || ts.isPrivateIdentifier(name)) return undefined
    entries.push([name.text, value])
  }
  return Object.fromEntries(entries)
}
