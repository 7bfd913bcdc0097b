import type { ts } from '@ts-morph/common'
import type { JsonSchema } from '../../decorator/generated.ts'
import { dateComment } from '../../decorator/revive-arguments.ts'
import { applyDocTags, type DocTag } from '../source/doc-tags.ts'
import { Problem } from '../source/problem.ts'
import { type SchemaRun, typeSchema } from './type-schema.ts'

/** What to use in place of the classes that people reach for first. */
const replacements: Readonly<Record<string, string>> = {
  Map: 'Use Record<string, …>.',
  Set: 'Use an array, with @uniqueItems.',
  URL: 'Use a string with @format uri.',
  RegExp: 'Use a string.',
  Uint8Array: 'Use a string of base64, with @format byte.',
  Buffer: 'Use a string of base64, with @format byte.',
  Promise: 'Only the result as a whole may be a promise.',
}

/** The JSON Schema of an array, a tuple, a record, an interface or another object type. */
export function objectSchema(type: ts.Type, place: ts.Node, run: SchemaRun): JsonSchema {
  const { ts, checker } = run
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference)
    return { type: 'array', items: item === undefined ? {} : typeSchema(item, place, run) }
  }
  if (checker.isTupleType(type)) return tupleSchema(type as ts.TupleTypeReference, place, run)
  if (type.isIntersection()) {
    // A brand like `string & { brand: 'Id' }` is for the compiler alone.
    const primitive = type.types.find((member) => (member.flags & ts.TypeFlags.Object) === 0)
    if (primitive !== undefined) return typeSchema(primitive, place, run)
  }
  refuseFunctions(type, place, run)
  if (isOfLibrary(type, run)) {
    if (type.symbol.name === 'Date') return { type: 'string', format: 'date-time', $comment: dateComment }
    refuseClass(type, place)
  } else if (type.isClass()) refuseClass(type, place)
  return recordSchema(type, place, run)
}

function recordSchema(type: ts.Type, place: ts.Node, run: SchemaRun): JsonSchema {
  const { ts, checker } = run
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const property of checker.getPropertiesOfType(type)) {
    const node = property.valueDeclaration ?? property.declarations?.[0] ?? place
    const itsType = checker.getTypeOfSymbolAtLocation(property, place)
    // A type of a package is read where it is used: problems are told where the author can mend them.
    const itsPlace = node.getSourceFile().isDeclarationFile ? place : node
    const schema = describeValue(typeSchema(itsType, itsPlace, run), property, itsPlace, run)
    properties[property.name] = schema
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0 || mayBeAbsent(itsType, run)
    if (!isOptional && schema['default'] === undefined) required.push(property.name)
  }
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(index !== undefined && { additionalProperties: typeSchema(index.type, place, run) }),
  }
}

/** A value's schema with the JSDoc of its property or parameter. */
export function describeValue(schema: JsonSchema, symbol: ts.Symbol, place: ts.Node, run: SchemaRun): JsonSchema {
  const { ts, checker } = run
  const description = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim().replace(/^-\s*/, '')
  const tags = symbol.getJsDocTags(checker).map<DocTag>(({ name, text }) => ({
    name,
    text: ts.displayPartsToString(text).trim(),
    node: place,
  }))
  return applyDocTags({ ...schema, ...(description !== '' && { description }) }, tags)
}

export function mayBeAbsent(type: ts.Type, { ts }: Pick<SchemaRun, 'ts'>): boolean {
  const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Void
  return (type.flags & absent) !== 0 || (type.isUnion() && type.types.some((member) => (member.flags & absent) !== 0))
}

function tupleSchema(type: ts.TupleTypeReference, place: ts.Node, run: SchemaRun): JsonSchema {
  const { ts, checker } = run
  const flags = type.target.elementFlags
  const items = checker.getTypeArguments(type).map((item) => typeSchema(item, place, run))
  const isRest = (index: number) => ((flags[index] ?? 0) & ts.ElementFlags.Variable) !== 0
  const rest = items.find((_, index) => isRest(index))
  if (rest !== undefined && !isRest(items.length - 1)) {
    throw new Problem(place, 'A tuple with a rest in its middle has no schema.', 'Move the rest to the end.')
  }
  const first = items.filter((_, index) => !isRest(index))
  return {
    type: 'array',
    prefixItems: first,
    minItems: type.target.minLength,
    ...(rest === undefined ? { items: false, maxItems: first.length } : { items: rest }),
  }
}

function refuseFunctions(type: ts.Type, place: ts.Node, { checker }: SchemaRun): void {
  if (type.getCallSignatures().length === 0 && type.getConstructSignatures().length === 0) return
  const text = checker.typeToString(type)
  throw new Problem(
    place,
    `'${text}' is a function, which clients cannot send.`,
    'Use data, for example the name of a choice.',
  )
}

function refuseClass(type: ts.Type, place: ts.Node): never {
  const { name } = type.symbol
  const fix = replacements[name] ?? 'Use an interface of plain data.'
  throw new Problem(place, `A ${name} cannot travel as JSON.`, fix)
}

/** Whether a type is a class of the language or of Node, such as Date or Map. Their plain interfaces do not count. */
function isOfLibrary(type: ts.Type, { ts, program }: SchemaRun): boolean {
  const declarations = type.symbol?.declarations ?? []
  const isKnown = type.symbol?.name === 'Date' || Object.hasOwn(replacements, type.symbol?.name ?? '')
  const hasValue = ((type.symbol?.flags ?? 0) & (ts.SymbolFlags.Variable | ts.SymbolFlags.Class)) !== 0
  return (
    (isKnown || hasValue) &&
    declarations.some((node) => {
      const source = node.getSourceFile()
      return program.isSourceFileDefaultLibrary(source) || source.fileName.includes('/node_modules/@types/node/')
    })
  )
}
