import { ToolError } from '../../protocol/errors.ts'
import { isObject } from '../../wire/meta.ts'
import type { BodyInput, OperationInput } from './openapi-input.ts'
import type { OpenApiOperation, Parameter } from './openapi-operation.ts'

/** A request that is still to be sent: its path begins below the base URL. */
export interface ApiRequest {
  readonly label: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Uint8Array<ArrayBuffer> | FormData | undefined
}

type Arguments = Readonly<Record<string, unknown>>

/** The request of an operation with checked arguments. */
export function buildRequest(operation: OpenApiOperation, input: OperationInput, args: Arguments): ApiRequest {
  const path = new Map<string, string>()
  const query: string[] = []
  const headers: [string, string][] = []
  const cookies: string[] = []
  for (const { argument, parameter } of input.parameters) {
    const value = args[argument]
    if (value === undefined) continue
    switch (parameter.in) {
      case 'path':
        path.set(parameter.name, toSegment(parameter, value))
        break
      case 'query':
        query.push(...toPairs(parameter, value).map(([name, text]) => `${encode(name)}=${encode(text)}`))
        break
      case 'header':
        headers.push([parameter.name, toHeader(parameter, value)])
        break
      case 'cookie':
        cookies.push(...toPairs(parameter, value).map(([name, text]) => `${encode(name)}=${encode(text)}`))
        break
    }
  }
  if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')])
  const body = input.body === undefined ? undefined : buildBody(input.body, args)
  // A form with parts names its own boundary.
  if (body !== undefined && input.body?.kind !== 'multipart') headers.push(['content-type', sentType(input.body!)])
  const { label, method } = operation
  return { label, method, path: fillPath(operation, path), query: query.join('&'), headers, body }
}

function fillPath({ path: template, label }: OpenApiOperation, values: ReadonlyMap<string, string>): string {
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined || value === '') throw new ToolError(`${label} needs a value for '${name}' in its path.`)
    return value
  })
  // URLs treat these as steps, encoded or not: such a value would lead to another operation.
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new ToolError(`A value in the path of ${label} is '.' or '..', which cannot stand there.`)
  }
  return path
}

/** The value as one segment: `/` and everything else that has a meaning in a path is encoded. */
function toSegment(parameter: Parameter, value: unknown): string {
  if (parameter.isJson) return encode(JSON.stringify(value))
  const { style, explode, name } = parameter
  const separator = style === 'label' ? '.' : style === 'matrix' ? ';' : ','
  const prefix = style === 'label' ? '.' : style === 'matrix' ? `;${encode(name)}=` : ''
  return (
    prefix +
    flatten(value, explode)
      .map(encode)
      .join(style === 'simple' || !explode ? ',' : separator)
  )
}

function toHeader(parameter: Parameter, value: unknown): string {
  const text = parameter.isJson ? JSON.stringify(value) : flatten(value, parameter.explode).join(',')
  if (/[\0\r\n]/.test(text))
    throw new ToolError(`The header '${parameter.name}' cannot have a line break in its value.`)
  return text
}

/** https://spec.openapis.org/oas/v3.1.1#style-values */
function toPairs({ name, style, explode, isJson }: Parameter, value: unknown): [string, string][] {
  if (isJson) return [[name, JSON.stringify(value)]]
  if (style === 'deepObject' && isObject(value)) return deepPairs(name, value)
  if (Array.isArray(value)) {
    if (explode) return value.map((entry) => [name, toText(entry)])
    const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
    return [[name, value.map(toText).join(separator)]]
  }
  if (isObject(value) && explode) return Object.entries(value).map(([key, entry]) => [key, toText(entry)])
  return [[name, flatten(value, false).join(',')]]
}

function deepPairs(name: string, value: Record<string, unknown>): [string, string][] {
  return Object.entries(value).flatMap(([key, entry]): [string, string][] => {
    const inner = `${name}[${key}]`
    if (isObject(entry)) return deepPairs(inner, entry)
    return Array.isArray(entry) ? entry.map((one) => [inner, toText(one)]) : [[inner, toText(entry)]]
  })
}

function flatten(value: unknown, explode: boolean): string[] {
  if (Array.isArray(value)) return value.map(toText)
  if (!isObject(value)) return [toText(value)]
  return Object.entries(value).flatMap(([key, entry]) => (explode ? [`${key}=${toText(entry)}`] : [key, toText(entry)]))
}

function buildBody({ kind, argument }: BodyInput, args: Arguments): ApiRequest['body'] {
  const value = typeof argument === 'string' ? args[argument] : gather(argument, args)
  if (value === undefined) return undefined
  switch (kind) {
    case 'json':
      return JSON.stringify(value)
    case 'text':
      return String(value)
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value), 'base64'))
    case 'form':
      return new URLSearchParams(formPairs(value)).toString()
    case 'multipart': {
      const form = new FormData()
      for (const [name, text] of formPairs(value)) form.append(name, text)
      return form
    }
  }
}

function gather(names: ReadonlyMap<string, string>, args: Arguments): Record<string, unknown> | undefined {
  const entries = [...names].flatMap(([argument, name]) =>
    args[argument] === undefined ? [] : [[name, args[argument]]],
  )
  return entries.length > 0 || names.size === 0 ? (Object.fromEntries(entries) as Record<string, unknown>) : undefined
}

function formPairs(value: unknown): [string, string][] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, entry]): [string, string][] =>
    Array.isArray(entry) ? entry.map((one) => [name, toText(one)]) : [[name, toText(entry)]],
  )
}

function sentType({ mediaType }: BodyInput): string {
  return mediaType.includes('*') ? 'application/json' : mediaType
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new ToolError('A value is no valid Unicode and cannot stand in a URL.')
  }
}
