import { canonicalJson, isObject } from '../../wire/index.ts'
import { joinPath } from '../pin/diff-descriptor.ts'
import { resolvePointer } from './normalisation/resolve-pointer.ts'
import { isOfType } from './json-type.ts'

/** A result that takes more looks than this is taken for right. */
const maxSteps = 20_000
const maxDepth = 64

/**
 * Says how a result of tools/call contradicts the output schema of its tool; null when it does not. It knows the words
 * that decide the shape and passes over the others, so that what it says is certain and what it does not say is not.
 */
export function findContradiction(outputSchema: unknown, result: unknown): string | null {
  if (!isObject(outputSchema) || !isObject(result)) return null
  // An error, a task and a question have no output so far.
  const isFinal = result['resultType'] === undefined || result['resultType'] === 'complete'
  if (result['isError'] === true || !isFinal || !Array.isArray(result['content'])) return null
  if (result['structuredContent'] === undefined) return 'the result has no structuredContent'
  const problem = new OutputCheck(outputSchema).find(outputSchema, result['structuredContent'], 'structuredContent')
  return problem
}

class OutputCheck {
  readonly #root: unknown
  #steps = 0

  constructor(root: unknown) {
    this.#root = root
  }

  find(schema: unknown, value: unknown, path: string, depth = 0): string | null {
    if (++this.#steps > maxSteps || depth > maxDepth) return null
    if (schema === false) return `${path} must not be there`
    if (!isObject(schema)) return null
    const inner = (child: unknown, childValue: unknown, childPath: string) =>
      this.find(child, childValue, childPath, depth + 1)
    return (
      this.#reference(schema, value, path, depth) ??
      checkType(schema, value, path) ??
      checkValues(schema, value, path) ??
      this.#choices(schema, value, path, depth) ??
      checkFields(schema, value, path, inner) ??
      checkItems(schema, value, path, inner)
    )
  }

  #reference({ $ref }: Record<string, unknown>, value: unknown, path: string, depth: number): string | null {
    return typeof $ref === 'string' ? this.find(resolvePointer(this.#root, $ref), value, path, depth + 1) : null
  }

  #choices(
    { anyOf, oneOf, allOf }: Record<string, unknown>,
    value: unknown,
    path: string,
    depth: number,
  ): string | null {
    for (const child of Array.isArray(allOf) ? (allOf as unknown[]) : []) {
      const problem = this.find(child, value, path, depth + 1)
      if (problem !== null) return problem
    }
    // Two choices that fit both may differ in words that are not looked at here, so oneOf asks for one at least.
    for (const choices of [anyOf, oneOf]) {
      if (!Array.isArray(choices) || choices.length === 0) continue
      if (choices.every((child) => this.find(child, value, path, depth + 1) !== null)) return `${path} fits no choice`
    }
    return null
  }
}

type Inner = (schema: unknown, value: unknown, path: string) => string | null

function checkType({ type, nullable }: Record<string, unknown>, value: unknown, path: string): string | null {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const known = types.filter((name) => typeof name === 'string')
  if (type === undefined || known.length === 0 || (nullable === true && value === null)) return null
  if (known.some((name) => isOfType(value, name))) return null
  return `${path} is ${nameOf(value)}, not ${known.join(' or ')}`
}

function checkValues(schema: Record<string, unknown>, value: unknown, path: string): string | null {
  if (Array.isArray(schema['enum']) && !schema['enum'].some((allowed) => isEqual(allowed, value))) {
    return `${path} is not one of the values that it may have`
  }
  return 'const' in schema && !isEqual(schema['const'], value) ? `${path} is not the value that it has to be` : null
}

function checkFields(schema: Record<string, unknown>, value: unknown, path: string, inner: Inner): string | null {
  if (!isObject(value)) return null
  const { required, properties, additionalProperties, patternProperties } = schema
  for (const name of Array.isArray(required) ? (required as unknown[]) : []) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${joinPath(path, name)} is missing`
  }
  const known = isObject(properties) ? properties : {}
  for (const [name, child] of Object.entries(value)) {
    const isKnown = Object.hasOwn(known, name)
    // Patterns come from a server and could run for ever; what they may allow is let through.
    if (!isKnown && patternProperties !== undefined) continue
    const childPath = joinPath(path, name)
    if (!isKnown && additionalProperties === false) return `${childPath} is not in the schema`
    const problem = inner(isKnown ? known[name] : additionalProperties, child, childPath)
    if (problem !== null) return problem
  }
  return null
}

function checkItems(schema: Record<string, unknown>, value: unknown, path: string, inner: Inner): string | null {
  if (!Array.isArray(value)) return null
  const first = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : []
  for (const [index, entry] of value.entries()) {
    const problem = inner(index < first.length ? first[index] : schema['items'], entry, `${path}[${index}]`)
    if (problem !== null) return problem
  }
  return null
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b))
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
