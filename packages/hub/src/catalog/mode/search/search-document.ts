import { isObject } from '../../../wire/index.ts'

/** What a tool, or anything else with a name, is found by. */
export interface SearchDocument {
  readonly key: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly description: string }[]
  readonly server: string
  readonly tags: readonly string[]
}

/** Descriptors come from servers: whatever has another type than the specification says is left out. */
export function toSearchDocument(
  key: string,
  descriptor: Readonly<Record<string, unknown>>,
  server: string,
  tags: readonly string[],
): SearchDocument {
  const annotations = descriptor['annotations']
  return {
    key,
    name: textOf(descriptor['name']) || key,
    title: textOf(descriptor['title']) || (isObject(annotations) ? textOf(annotations['title']) : ''),
    description: textOf(descriptor['description']),
    parameters: [...parametersOf(descriptor['inputSchema'], 0)].slice(0, maxParameters),
    server,
    tags,
  }
}

const maxParameters = 100
const maxDepth = 3

function* parametersOf(schema: unknown, depth: number): Generator<{ name: string; description: string }> {
  if (!isObject(schema) || depth === maxDepth) return
  const properties = schema['properties']
  if (!isObject(properties)) return
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    yield { name, description: [textOf(property['description']), ...choicesOf(property)].join(' ') }
    yield* parametersOf(property, depth + 1)
    yield* parametersOf(property['items'], depth + 1)
  }
}

// The operations of an aggregate are the choices of one parameter, and people look for them.
function choicesOf(property: Record<string, unknown>): string[] {
  const choices: unknown = property['enum']
  return Array.isArray(choices) ? choices.slice(0, 50).filter((choice) => typeof choice === 'string') : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
