import { isObject } from '../../wire/meta.ts'
import type { OpenApiDocument } from './openapi-document.ts'

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'

export interface Parameter {
  readonly name: string
  readonly in: ParameterPlace
  readonly isRequired: boolean
  readonly description: string | undefined
  /** As the document has it. */
  readonly schema: unknown
  readonly style: string
  readonly explode: boolean
  /** The value goes as JSON, because the document gives it a content type. */
  readonly isJson: boolean
}

/** One operation of a document: a method on a path. */
export interface OpenApiOperation {
  readonly method: string
  readonly path: string
  /** `GET /pets/{id}`, for messages. */
  readonly label: string
  /** The `operationId`, or method and path. */
  readonly name: string
  readonly operationId: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly isDeprecated: boolean
  readonly parameters: readonly Parameter[]
  /** The operation as the document has it. */
  readonly raw: Readonly<Record<string, unknown>>
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** Headers that the request itself decides: https://spec.openapis.org/oas/v3.1.1#parameter-object */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

export function readOperations(document: OpenApiDocument): OpenApiOperation[] {
  const { paths } = document.root
  if (!isObject(paths)) return []
  return Object.entries(paths).flatMap(([path, value]) => {
    const item = document.resolve(value)
    if (!isObject(item)) return []
    return methods.flatMap((method) => {
      const raw = document.resolve(item[method])
      return isObject(raw) ? [readOperation({ document, method, path, item, raw })] : []
    })
  })
}

interface Found {
  readonly document: OpenApiDocument
  readonly method: string
  readonly path: string
  readonly item: Record<string, unknown>
  readonly raw: Record<string, unknown>
}

function readOperation({ document, method, path, item, raw }: Found): OpenApiOperation {
  const { operationId, tags } = raw
  const upper = method.toUpperCase()
  return {
    method: upper,
    path,
    label: `${upper} ${path}`,
    name: textOf(operationId) ?? `${method}${path.replace(/[{}]/g, '')}`,
    operationId: textOf(operationId),
    summary: textOf(raw['summary']) ?? textOf(item['summary']),
    description: textOf(raw['description']) ?? textOf(item['description']),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    isDeprecated: raw['deprecated'] === true,
    parameters: readParameters(document, item['parameters'], raw['parameters']),
    raw,
  }
}

/** The operation's parameters stand before those of its path, which they replace by place and name. */
function readParameters(document: OpenApiDocument, shared: unknown, own: unknown): Parameter[] {
  const byKey = new Map<string, Parameter>()
  for (const list of [shared, own]) {
    for (const value of Array.isArray(list) ? list : []) {
      const parameter = readParameter(document.resolve(value))
      if (parameter !== undefined) byKey.set(`${parameter.in}:${parameter.name}`, parameter)
    }
  }
  return [...byKey.values()]
}

function readParameter(raw: unknown): Parameter | undefined {
  if (!isObject(raw)) return undefined
  const { name, in: place } = raw
  if (typeof name !== 'string' || !isPlace(place)) return undefined
  if (place === 'header' && ownHeaders.has(name.toLowerCase())) return undefined
  const content = isObject(raw['content']) ? Object.values(raw['content'])[0] : undefined
  const style = textOf(raw['style']) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return {
    name,
    in: place,
    isRequired: place === 'path' || raw['required'] === true,
    description: textOf(raw['description']),
    schema: isObject(content) ? content['schema'] : raw['schema'],
    style,
    explode: typeof raw['explode'] === 'boolean' ? raw['explode'] : style === 'form',
    isJson: content !== undefined,
  }
}

function isPlace(value: unknown): value is ParameterPlace {
  return value === 'path' || value === 'query' || value === 'header' || value === 'cookie'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The schema of an operation's good answer, when it is a JSON object; lists and plain values have none. */
export function describeOutput(
  operation: OpenApiOperation,
  document: OpenApiDocument,
): (Record<string, unknown> & { type: 'object' }) | undefined {
  const { responses } = operation.raw
  if (!isObject(responses)) return undefined
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code))
  // With several good answers no single schema holds for all of them.
  if (codes.length !== 1) return undefined
  const response = document.resolve(responses[codes[0]!])
  const content = isObject(response) && isObject(response['content']) ? response['content'] : {}
  const types = Object.keys(content)
  const json = types.find((type) => /^application\/([\w.-]+\+)?json\b/i.test(type))
  const media = json === undefined || types.length > 1 ? undefined : content[json]
  if (!isObject(media)) return undefined
  const resolved = document.resolve(media['schema'])
  if (!isObject(resolved) || resolved['type'] !== 'object' || resolved['nullable'] === true) return undefined
  return { ...document.schemaOf(media['schema']), type: 'object' }
}
