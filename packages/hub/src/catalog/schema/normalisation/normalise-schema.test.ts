import { expect, test } from 'vitest'
import { normaliseSchema } from './normalise-schema.ts'
import { ChangeList } from './schema-change.ts'

function normalise(schema: unknown) {
  const changes = new ChangeList()
  return { schema: normaliseSchema(schema, { root: 'inputSchema', changes }), changes: changes.entries }
}

test('a schema that would name itself a million times over is cut', () => {
  const levels = Array.from({ length: 8 }, (_, level) => {
    const inner = Object.fromEntries(
      Array.from({ length: 10 }, (_each, index) => [index, { $ref: `#/$defs/l${level + 1}` }]),
    )
    return [`l${level}`, { type: 'object', properties: inner }]
  })
  const { schema, changes } = normalise({
    type: 'object',
    properties: { a: { $ref: '#/$defs/l0' } },
    $defs: Object.fromEntries(levels),
  })
  expect(JSON.stringify(schema).length).toBeLessThan(1_000_000)
  expect(changes).toHaveLength(100)
})

test('a schema that is nested without end is cut where nobody looks any more', () => {
  let schema: Record<string, unknown> = { type: 'string' }
  for (let depth = 0; depth < 900; depth++) schema = { type: 'object', properties: { a: schema } }
  const { changes } = normalise(schema)
  expect(changes).toEqual([{ path: expect.stringContaining('properties.a'), what: 'cut: the schema is too large' }])
})

test('a property with the name of a keyword or of the prototype is a property', () => {
  const text =
    '{"type":"object","properties":{"$ref":{"type":"string"},"type":{"type":["string"]},"__proto__":{"type":"string"}}}'
  const { schema } = normalise(JSON.parse(text))
  expect(JSON.stringify(schema)).toBe(text.replace('["string"]', '"string"'))
})

test('what is given is never changed', () => {
  const schema = {
    properties: { a: { type: ['string', 'null'], nullable: true }, b: { $ref: '#/$defs/x' } },
    $defs: { x: {} },
  }
  const before = structuredClone(schema)
  normalise(schema)
  expect(schema).toEqual(before)
})
