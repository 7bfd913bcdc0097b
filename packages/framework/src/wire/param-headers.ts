import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
import { isObject } from './meta.ts'

/** A tool parameter that is mirrored into the header `Mcp-Param-{name}`. */
export interface ParamHeader {
  /** Full header name in lower case. */
  readonly header: string
  readonly path: readonly string[]
}

/**
 * Finds the `x-mcp-header` annotations of an input schema, along chains of `properties` only, as the specification
 * allows: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension
 */
export function findParamHeaders(schema: unknown, path: readonly string[] = []): ParamHeader[] {
  if (!isObject(schema) || !isObject(schema['properties']) || path.length > 16) return []
  return Object.entries(schema['properties']).flatMap(([key, property]) => {
    if (!isObject(property)) return []
    const name = property['x-mcp-header']
    const here = [...path, key]
    const own = typeof name === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
    return [
      ...(own ? [{ header: `mcp-param-${name.toLowerCase()}`, path: here }] : []),
      ...findParamHeaders(property, here),
    ]
  })
}

/** Says what is wrong with the mirrored headers of a call, or undefined when they agree with its arguments. */
export function checkParamHeaders(
  mirrored: readonly ParamHeader[],
  headers: Record<string, string | string[] | undefined>,
  args: unknown,
): string | undefined {
  for (const { header, path } of mirrored) {
    const value = valueAt(args, path)
    const given = headers[header]
    if (value === undefined || value === null) {
      if (given !== undefined) return `${header} is given but ${path.join('.')} is not among the arguments`
      continue
    }
    if (typeof given !== 'string') return `${header} is missing`
    const decoded = decodeHeaderValue(given)
    if (decoded === undefined) return `${header} has characters that must be Base64-encoded`
    const same =
      typeof value === 'number' ? decoded.trim() !== '' && Number(decoded) === value : decoded === String(value)
    if (!same) return `${header} does not match the argument ${path.join('.')}`
  }
  return undefined
}

/**
 * Headers that mirror the arguments, as a flat list of names and values. `textOf` knows how a number was written that
 * JavaScript cannot hold exactly.
 */
export function mirrorParams(
  mirrored: readonly ParamHeader[],
  args: unknown,
  textOf?: (path: readonly string[]) => string | undefined,
): string[] {
  return mirrored.flatMap(({ header, path }) => {
    const value = valueAt(args, path)
    const text = typeof value === 'number' && !Number.isSafeInteger(value) ? textOf?.(path) : undefined
    if (text !== undefined) return [header, text]
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [header, encodeHeaderValue(String(value))]
      : []
  })
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
