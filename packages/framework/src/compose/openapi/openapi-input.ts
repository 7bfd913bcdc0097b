import { isObject } from '../../wire/meta.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { OpenApiOperation, Parameter } from './openapi-operation.ts'

type Json = Record<string, unknown>

export interface BodyInput {
  readonly mediaType: string
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The one argument that is the body, or the arguments that are its properties, by their name there. */
  readonly argument: string | ReadonlyMap<string, string>
}

/** What a tool takes, and where each argument goes. */
export interface OperationInput {
  readonly schema: Json & { type: 'object' }
  readonly parameters: readonly { readonly argument: string; readonly parameter: Parameter }[]
  readonly body: BodyInput | undefined
}

/** Everything that an operation takes as one object: parameters first, then the body or its properties. */
export function describeInput(operation: OpenApiOperation, document: OpenApiDocument): OperationInput {
  const fields = new Fields()
  const parameters = operation.parameters.map((parameter) => {
    const schema = { ...document.schemaOf(parameter.schema) }
    if (parameter.description !== undefined) schema['description'] ??= parameter.description
    const argument = fields.add(parameter.name, parameter.in, schema, parameter.isRequired)
    return { argument, parameter }
  })
  const body = describeBody(operation, document, fields)
  return { schema: fields.toSchema(), parameters, body }
}

function describeBody(operation: OpenApiOperation, document: OpenApiDocument, fields: Fields): BodyInput | undefined {
  const request = document.resolve(operation.raw['requestBody'])
  const content = isObject(request) && isObject(request['content']) ? request['content'] : undefined
  if (!isObject(request) || content === undefined) return undefined
  const mediaType = chooseMediaType(Object.keys(content))
  if (mediaType === undefined) return undefined
  const kind = kindOf(mediaType)
  const isRequired = request['required'] === true
  const media = content[mediaType]
  const raw = isObject(media) ? media['schema'] : undefined
  const whole = document.schemaOf(raw)
  if (kind === 'text' || kind === 'bytes') {
    const schema = kind === 'text' ? { type: 'string' } : { type: 'string', contentEncoding: 'base64' }
    return { mediaType, kind, argument: fields.add('body', 'body', schema, isRequired) }
  }
  const properties = propertiesToMerge(document.resolve(raw), document, isRequired)
  if (properties === undefined) return { mediaType, kind, argument: fields.add('body', 'body', whole, isRequired) }
  const argument = new Map<string, string>()
  for (const [name, { schema, isNeeded }] of properties) argument.set(fields.add(name, 'body', schema, isNeeded), name)
  return { mediaType, kind, argument }
}

/**
 * The properties of a body that can stand among the parameters. Undefined for a body that would lose its meaning there:
 * one that may be left out but not in part, one of open shape, or one that is no plain object.
 */
function propertiesToMerge(raw: unknown, document: OpenApiDocument, isRequired: boolean) {
  if (!isObject(raw) || raw['nullable'] === true) return undefined
  const { type, properties, required, additionalProperties } = raw
  if ((type !== 'object' && type !== undefined) || !isObject(properties)) return undefined
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  const combined = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'minProperties', 'dependentSchemas']
  if (combined.some((word) => raw[word] !== undefined)) return undefined
  const needed = Array.isArray(required) ? required : []
  if (!isRequired && needed.length > 0) return undefined
  return Object.entries(properties).map(
    ([name, value]) => [name, { schema: document.schemaOf(value), isNeeded: needed.includes(name) }] as const,
  )
}

/** The arguments of a tool. Where a name is taken, the place of the parameter goes before it. */
class Fields {
  readonly #properties: Json = {}
  readonly #required: string[] = []
  #definitions: Json = {}

  add(name: string, place: string, schema: Json, isRequired: boolean): string {
    let argument = Object.hasOwn(this.#properties, name) ? `${place}_${name}` : name
    for (let count = 2; Object.hasOwn(this.#properties, argument); count++) argument = `${place}_${name}_${count}`
    const { $defs, ...own } = schema
    if (isObject($defs)) this.#definitions = { ...this.#definitions, ...$defs }
    // defineProperty, because a parameter may be called __proto__.
    Object.defineProperty(this.#properties, argument, { value: own, enumerable: true })
    if (isRequired) this.#required.push(argument)
    return argument
  }

  toSchema(): Json & { type: 'object' } {
    return {
      type: 'object',
      properties: this.#properties,
      ...(this.#required.length > 0 && { required: this.#required }),
      additionalProperties: false,
      ...(Object.keys(this.#definitions).length > 0 && { $defs: this.#definitions }),
    }
  }
}

function chooseMediaType(types: readonly string[]): string | undefined {
  const order: BodyInput['kind'][] = ['json', 'form', 'multipart', 'text', 'bytes']
  for (const kind of order) {
    const found = types.find((type) => kindOf(type) === kind)
    if (found !== undefined) return found
  }
  return undefined
}

function kindOf(mediaType: string): BodyInput['kind'] {
  const type = mediaType.toLowerCase().split(';')[0]!.trim()
  if (type === 'application/json' || type.endsWith('+json') || type === '*/*') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type === 'multipart/form-data') return 'multipart'
  return type.startsWith('text/') || type.endsWith('xml') ? 'text' : 'bytes'
}
