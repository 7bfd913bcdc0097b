import type { ts } from '@ts-morph/common'
import type { GeneratedMethod, JsonSchema } from '../../decorator/generated.ts'
import type { Sources } from '../source/compiler.ts'
import { mayBeAbsent } from './object-schema.ts'
import { rootSchema, typeSchema } from './type-schema.ts'

/**
 * The output schema of a method, from what it returns or promises. Text and content speak for themselves and have none.
 * Whatever is no object is wrapped as `{ result }`, because clients up to 2025-11-25 take objects only.
 */
export function outputSchema(
  node: ts.MethodDeclaration,
  sources: Sources,
): Pick<GeneratedMethod, 'output' | 'isWrapped'> {
  const type = returnedType(node, sources)
  if (type === undefined) return {}
  const all = type.isUnion() ? type.types : [type]
  // An error is told to the model as it is, whatever the schema says.
  const members = all.filter((member) => !isErrorResult(member, sources))
  const values = members.filter((member) => !mayBeAbsent(member, sources))
  if (values.length === 0 || values.some((member) => speaksForItself(member, sources))) return {}
  const place = node.type ?? node.name
  const schema = rootSchema(sources, (run) => {
    if (members.length === all.length) return typeSchema(type, place, run)
    const [first = {}, ...others] = values.map((member) => typeSchema(member, place, run))
    return others.length === 0 ? first : { anyOf: [first, ...others] }
  })
  const isOptional = values.length < members.length
  return isOptional
    ? wrapped(schema, [])
    : isObject(schema)
      ? { output: { type: 'object', ...schema } }
      : wrapped(schema)
}

/** Undefined for what says nothing of the result: any, unknown, never. */
function returnedType(node: ts.MethodDeclaration, { ts, checker }: Sources): ts.Type | undefined {
  const signature = checker.getSignatureFromDeclaration(node)
  const type = signature && checker.getAwaitedType(checker.getReturnTypeOfSignature(signature))
  const isOpen = ((type?.flags ?? 0) & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never)) !== 0
  return isOpen ? undefined : type
}

function speaksForItself(type: ts.Type, sources: Sources): boolean {
  const { ts, checker } = sources
  if ((type.flags & ts.TypeFlags.String) !== 0 || isToolResult(type, sources) || isContent(type, sources)) return true
  const [item] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : []
  return item !== undefined && isContent(item, sources)
}

function isObject(schema: JsonSchema): boolean {
  const branches = (schema['anyOf'] ?? []) as readonly JsonSchema[]
  return schema['type'] === 'object' || (branches.length > 0 && branches.every(isObject))
}

function wrapped({ $defs, ...result }: JsonSchema, required = ['result']) {
  const output = {
    type: 'object',
    properties: { result },
    ...(required.length > 0 && { required }),
    ...($defs !== undefined && { $defs }),
  }
  return { output, isWrapped: true }
}

// The types of the SDK are made of schemas and have no names that last, so they are told by their shape, as their
// values are at run time.

const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** Whether a type is one block of content, or one of several. */
function isContent(type: ts.Type, sources: Sources): boolean {
  if (type.isUnion()) return type.types.every((member) => isContent(member, sources))
  const kind = propertyType(type, 'type', sources)
  if (kind?.isStringLiteral() !== true || !contentTypes.has(kind.value)) return false
  return ['text', 'data', 'resource', 'uri'].some((name) => propertyType(type, name, sources) !== undefined)
}

/** Whether a type is a whole result of `tools/call`. */
function isToolResult(type: ts.Type, sources: Sources): boolean {
  const { checker } = sources
  const content = propertyType(type, 'content', sources)
  if (content === undefined || !checker.isArrayType(content)) return false
  const [item] = checker.getTypeArguments(content as ts.TypeReference)
  return item !== undefined && isContent(item, sources)
}

function isErrorResult(type: ts.Type, sources: Sources): boolean {
  const isError = propertyType(type, 'isError', sources)
  return isError !== undefined && sources.checker.typeToString(isError) === 'true' && isToolResult(type, sources)
}

function propertyType(type: ts.Type, name: string, { ts, checker }: Sources): ts.Type | undefined {
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return undefined
  const property = checker.getPropertyOfType(type, name)
  return property && checker.getTypeOfSymbol(property)
}
