import { expect, test } from 'vitest'
import { initialValues, missingFields, readFields } from './schema-fields.ts'

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', default: 10, description: 'How many.' },
    path: { type: 'string', title: 'Path' },
    deep: { type: ['boolean', 'null'] },
    order: { enum: ['up', 'down'] },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    edits: { type: 'array', items: { type: 'object' } },
    filter: { $ref: '#/$defs/filter' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Or nothing.' },
  },
  required: ['path', 'filter'],
  $defs: { filter: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
}

test('every part of a schema gets the control that fits it, required ones first', () => {
  const kinds = readFields(schema).map(({ name, kind }) => [name, kind])

  expect(kinds).toEqual([
    ['path', 'text'],
    ['filter', 'object'],
    ['limit', 'number'],
    ['deep', 'boolean'],
    ['order', 'choice'],
    ['tags', 'list'],
    ['sizes', 'list'],
    ['edits', 'json'],
    ['either', 'json'],
    ['maybe', 'text'],
  ])
})

test('what no control fits shows the shape that is asked for', () => {
  const item = {
    type: 'object',
    properties: { name: { type: 'string' }, marks: { type: 'array', items: { type: 'number' } } },
  }
  const [field] = readFields({ type: 'object', properties: { entities: { type: 'array', items: item } } })
  expect(field).toMatchObject({ kind: 'json', example: [{ name: '', marks: [0] }] })
})

test('a description beside a reference or a branch stays', () => {
  expect(readFields(schema).find(({ name }) => name === 'maybe')?.description).toBe('Or nothing.')
})

test('a form begins with the defaults of its schema and says what is missing', () => {
  const fields = readFields(schema)
  const values = initialValues(fields)

  expect(values).toEqual({ limit: 10, filter: {} })
  expect(missingFields(fields, values)).toEqual(['path', 'filter.name'])
  expect(missingFields(fields, { path: '', filter: { name: 'a' } })).toEqual([])
})

test.each([undefined, null, true, {}, { properties: [] }, { $ref: '#/nowhere' }])('%j has no fields', (odd) => {
  expect(readFields(odd)).toEqual([])
})

test('a schema that refers to itself ends', () => {
  const self = { type: 'object', properties: { child: { $ref: '#' }, loop: { $ref: '#/properties/loop' } } }

  expect(JSON.stringify(readFields(self)).length).toBeLessThan(5000)
})
