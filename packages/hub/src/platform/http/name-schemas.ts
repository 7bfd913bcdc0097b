import * as contract from '@herma/contract'
import { z } from 'zod'

import type { NamedOperation } from './route.ts'

export type ApiSchema = Record<string, unknown>
export type Components = Record<string, ApiSchema>

export interface SchemaNames {
  readonly components: Components
  /** Reference to a schema as it is sent to us. */
  sent(schema: z.ZodType): ApiSchema
  /** Reference to a schema as we answer with it. */
  answered(schema: z.ZodType): ApiSchema
}

/**
 * A schema with defaults differs by direction: a default makes a field optional to send and certain to come back.
 * Where the two differ, what is sent gets the suffix `Input`.
 */
export function nameSchemas(routes: readonly NamedOperation[]): SchemaNames {
  const registry = z.registry<{ id: string }>()
  for (const [name, value] of Object.entries(contract)) {
    if (value instanceof z.ZodType) registry.add(value, { id: name })
  }
  for (const route of routes) {
    const inline = { Body: route.body, ...mapAnswers(route) }
    for (const [suffix, schema] of Object.entries(inline)) {
      if (schema !== undefined && !registry.has(schema)) registry.add(schema, { id: capitalise(route.id) + suffix })
    }
  }
  const output = convert(registry, 'output')
  const input = convert(registry, 'input')
  const differs = (id: string) => JSON.stringify(input[id]) !== JSON.stringify(output[id])
  // A schema that holds one with another name differs too, though its own text does not show it before renaming.
  const renamed = new Set(Object.keys(input).filter((id) => [...reachable(input, [id])].some(differs)))
  const inputName = (id: string) => (renamed.has(id) && !/(Input|Patch|Request|Body)$/.test(id) ? `${id}Input` : id)
  const nameOf = (schema: z.ZodType) => registry.get(schema)?.id ?? ''
  return {
    // What is sent comes last: names that are only ever sent keep the shape of what is sent.
    components: { ...output, ...convert(registry, 'input', inputName) },
    sent: (schema) => ({ $ref: reference(inputName(nameOf(schema))) }),
    answered: (schema) => ({ $ref: reference(nameOf(schema)) }),
  }
}

function mapAnswers(route: NamedOperation): Record<string, z.ZodType> {
  const answers = Object.entries(route.responses).flatMap(([status, { schema }]) =>
    schema ? [{ status, schema }] : [],
  )
  return Object.fromEntries(
    answers.map(({ status, schema }) => [answers.length === 1 ? 'Answer' : `Answer${status}`, schema]),
  )
}

function convert(
  registry: z.core.$ZodRegistry<{ id: string }>,
  io: 'input' | 'output',
  rename: (id: string) => string = sameName,
): Components {
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => reference(rename(id)) })
  const { [sharedId]: shared, ...named } = schemas as Components
  const hoisted = Object.entries((shared?.['$defs'] ?? {}) as Components).map(([key, schema]) => [
    sharedName(key, io),
    schema,
  ])
  const all = [...Object.entries(named).map(([id, schema]) => [rename(id), schema]), ...hoisted] as [
    string,
    ApiSchema,
  ][]
  return Object.fromEntries(
    all.map(([id, schema]) => {
      const { $schema: _dialect, $id: _address, ...rest } = schema
      return [id, nameShared(rest, io)]
    }),
  )
}

/** Where zod puts what has no name and refers to itself, such as any JSON value. Nobody finds it there. */
const sharedId = '__shared'

function sharedName(key: string, io: 'input' | 'output'): string {
  return `Shared${capitalise(key)}${io === 'input' ? 'Input' : ''}`
}

function nameShared(schema: ApiSchema, io: 'input' | 'output'): ApiSchema {
  const text = JSON.stringify(schema)
  if (!text.includes(sharedId)) return schema
  const named = text.replaceAll(/"#\/components\/schemas\/__shared#\/\$defs\/(\w+)"/g, (_, key: string) =>
    JSON.stringify(reference(sharedName(key, io))),
  )
  return JSON.parse(named) as ApiSchema
}

function sameName(id: string): string {
  return id
}

/** Leaves out the components that nothing refers to. */
export function onlyUsed(components: Components, paths: unknown): Components {
  const used = reachable(components, referencesIn(paths))
  return Object.fromEntries(
    Object.entries(components)
      .filter(([name]) => used.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function reachable(components: Components, from: Iterable<string>): Set<string> {
  const seen = new Set(from)
  for (const name of seen) for (const next of referencesIn(components[name])) seen.add(next)
  return seen
}

function referencesIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
}

function reference(name: string): string {
  return `#/components/schemas/${name}`
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
