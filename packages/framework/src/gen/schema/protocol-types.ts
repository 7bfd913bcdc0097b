import type { ts } from '@ts-morph/common'
import type { Sources } from '../source/compiler.ts'

// The types of the SDK are made of schemas and have no names that last, so they are told by their shape, as their
// values are at run time.

const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** Whether a type is one block of content, or one of several. */
export function isContent(type: ts.Type, sources: Sources): boolean {
  if (type.isUnion()) return type.types.every((member) => isContent(member, sources))
  const kind = propertyType(type, 'type', sources)
  if (kind?.isStringLiteral() !== true || !contentTypes.has(kind.value)) return false
  return ['text', 'data', 'resource', 'uri'].some((name) => propertyType(type, name, sources) !== undefined)
}

/** Whether a type is a whole result of `tools/call`. */
export function isToolResult(type: ts.Type, sources: Sources): boolean {
  const { checker } = sources
  const content = propertyType(type, 'content', sources)
  if (content === undefined || !checker.isArrayType(content)) return false
  const [item] = checker.getTypeArguments(content as ts.TypeReference)
  return item !== undefined && isContent(item, sources)
}

export function isErrorResult(type: ts.Type, sources: Sources): boolean {
  const isError = propertyType(type, 'isError', sources)
  return isError !== undefined && sources.checker.typeToString(isError) === 'true' && isToolResult(type, sources)
}

function propertyType(type: ts.Type, name: string, { ts, checker }: Sources): ts.Type | undefined {
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return undefined
  const property = checker.getPropertyOfType(type, name)
  return property && checker.getTypeOfSymbol(property)
}
