import type { ts } from '@ts-morph/common'
import type { GeneratedMethod, JsonSchema } from '../../decorator/generated.ts'
import type { Sources } from '../source/compiler.ts'
import { applyDocTags } from '../source/doc-tags.ts'
import type { AutoMethod } from '../source/find-methods.ts'
import { literalValue } from '../source/literal-value.ts'
import { type MethodDocs, readMethodDocs } from '../source/method-docs.ts'
import { describeValue, mayBeAbsent } from './object-schema.ts'
import { outputSchema } from './output-schema.ts'
import { Problem } from '../source/problem.ts'
import { rootSchema, type SchemaRun, typeSchema, withoutReference } from './type-schema.ts'

/** What the sidecar says of a method: the schemas of its parameters and its result, and its JSDoc. */
export function methodSchema({ kind, node }: AutoMethod, sources: Sources): GeneratedMethod {
  const { ts } = sources
  refuseUnclear(node, sources)
  const docs = readMethodDocs(ts, node)
  const { parameters, takesContext } = splitParameters(node, sources)
  const last = parameters.at(-1)
  const [only] = parameters
  const isWhole = only !== undefined && parameters.length === 1 && ts.isObjectBindingPattern(only.name)
  const hasRest = last?.dotDotDotToken !== undefined
  const input = parameters.length === 0 ? undefined : inputSchema(parameters, isWhole, docs, sources)
  refuseUnknownDocs(docs, input, takesContext)
  if (kind === 'prompt') refuseOtherThanStrings(parameters, input)
  return {
    kind,
    ...(docs.title !== undefined && { title: docs.title }),
    ...(docs.description !== undefined && { description: docs.description }),
    ...(!isWhole && parameters.length > 0 && { parameters: parameters.map(({ name }) => name.getText()) }),
    ...(hasRest && { hasRest }),
    ...(takesContext && { takesContext }),
    ...(input && { input }),
    ...(kind === 'tool' && outputSchema(node, sources)),
  }
}

type Parameters = readonly ts.ParameterDeclaration[]

/** The context comes last and is no argument; neither is `this`. */
function splitParameters(node: ts.MethodDeclaration, sources: Sources) {
  const parameters = node.parameters.filter(({ name }) => name.getText() !== 'this')
  const last = parameters.at(-1)
  const takesContext = last !== undefined && isContext(last, sources)
  return { parameters: takesContext ? parameters.slice(0, -1) : parameters, takesContext }
}

function isContext({ type }: ts.ParameterDeclaration, { ts, checker }: Sources): boolean {
  if (type === undefined) return false
  const symbol = checker.getTypeFromTypeNode(type).symbol
  // The name as written counts too, for sources whose packages are not installed yet.
  return symbol?.name === 'Context' || (ts.isTypeReferenceNode(type) && type.typeName.getText() === 'Context')
}

function inputSchema(parameters: Parameters, isWhole: boolean, docs: MethodDocs, sources: Sources): JsonSchema {
  return rootSchema(sources, (run) => {
    const [only] = parameters
    const schema = isWhole && only !== undefined ? wholeSchema(only, run) : positionalSchema(parameters, run)
    const plain = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
    const properties = Object.fromEntries(plain.map(([name, value]) => [name, documented(value, name, docs)]))
    const needed = ((schema['required'] ?? []) as readonly string[]).filter(
      (name) => properties[name]?.['default'] === undefined,
    )
    const { required: _, ...rest } = schema
    return { ...rest, properties, ...(needed.length > 0 && { required: needed }) }
  })
}

/** `find({ text, limit }: Query)`: the properties of the object are the arguments. */
function wholeSchema(parameter: ts.ParameterDeclaration, run: SchemaRun): JsonSchema {
  const schema = withoutReference(typeSchema(run.checker.getTypeAtLocation(parameter), parameter, run), run)
  if (schema['type'] === 'object') return schema
  throw new Problem(
    parameter,
    'The arguments of a tool are one object.',
    'Give the parameter a name, or an object type.',
  )
}

function positionalSchema(parameters: Parameters, run: SchemaRun): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const parameter of parameters) {
    const { ts, checker } = run
    if (!ts.isIdentifier(parameter.name)) {
      throw new Problem(
        parameter,
        'This parameter has no name for clients to give it by.',
        'Give it one, and take it apart inside.',
      )
    }
    const symbol = checker.getSymbolAtLocation(parameter.name)
    const type = checker.getTypeAtLocation(parameter)
    const schema = typeSchema(type, parameter, run)
    const preset = parameter.initializer === undefined ? undefined : literalValue(ts, parameter.initializer)
    const described = symbol === undefined ? schema : describeValue(schema, symbol, parameter, run)
    properties[parameter.name.text] = { ...described, ...(preset !== undefined && { default: preset }) }
    const isOptional = checker.isOptionalParameter(parameter) || parameter.dotDotDotToken !== undefined
    if (!isOptional && !mayBeAbsent(type, run)) required.push(parameter.name.text)
  }
  return { type: 'object', properties, required }
}

/** What is written at the value itself goes before what the method's `@param` says. */
function documented(schema: JsonSchema, name: string, docs: MethodDocs): JsonSchema {
  const said = docs.parameters.get(name)
  if (said === undefined) return schema
  return { ...(said.description !== '' && { description: said.description }), ...applyDocTags(schema, said.tags) }
}

function refuseUnclear(node: ts.MethodDeclaration, { ts, checker }: Sources): void {
  const [typeParameter] = node.typeParameters ?? []
  if (typeParameter !== undefined) {
    throw new Problem(
      typeParameter,
      `The method has the type parameter '${typeParameter.getText()}', which clients cannot give.`,
      'Write concrete types.',
    )
  }
  if (!ts.isIdentifier(node.name) && !ts.isStringLiteral(node.name)) {
    throw new Problem(node.name, 'The name of the method is computed.', 'Write it as it is.')
  }
  const declarations = checker.getSymbolAtLocation(node.name)?.declarations ?? []
  if (declarations.length > 1) {
    throw new Problem(
      node.name,
      'The method is overloaded, and a schema has one form.',
      'Leave one signature, with unions if need be.',
    )
  }
  const bare = node.parameters.find(({ type, initializer }) => type === undefined && initializer === undefined)
  if (bare !== undefined) {
    throw new Problem(
      bare,
      `The parameter '${bare.name.getText()}' has no type.`,
      'Write it: the schema is made of it.',
    )
  }
}

function refuseUnknownDocs(docs: MethodDocs, input: JsonSchema | undefined, takesContext: boolean): void {
  const known = Object.keys(input?.['properties'] ?? {})
  for (const [name, { node, tags }] of docs.parameters) {
    if (known.includes(name) || (takesContext && tags.length === 0)) continue
    const list = known.length === 0 ? 'none' : known.join(', ')
    throw new Problem(
      node,
      `@param ${name} is about no parameter.`,
      `Correct its name (there are: ${list}), or remove it.`,
    )
  }
}

/** https://modelcontextprotocol.io/specification/2026-07-28/server/prompts: arguments of prompts are strings. */
function refuseOtherThanStrings(parameters: Parameters, input: JsonSchema | undefined): void {
  for (const [name, schema] of Object.entries((input?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)) {
    if (schema['type'] === 'string' && schema['$comment'] === undefined) continue
    if (typeof schema['const'] === 'string') continue
    const node = parameters.find((parameter) => parameter.name.getText() === name) ?? parameters[0]
    if (node === undefined) continue
    throw new Problem(
      node,
      `The argument '${name}' of a prompt has to be a string.`,
      'Use string, or a union of string literals.',
    )
  }
}
