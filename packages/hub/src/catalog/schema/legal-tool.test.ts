import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { legalTool } from './legal-tool.ts'

const object = { type: 'object' }

test('a tool that the protocol allows comes back as it is', () => {
  const tool = {
    name: 'a',
    title: 'A',
    inputSchema: { ...object, properties: { id: { $ref: '#/$defs/id' } }, required: ['id'], $defs: { id: {} } },
    outputSchema: { type: 'array', items: {} },
    future: [1],
  }
  expect(legalTool(tool)).toBe(tool)
})

test.each([
  ['no schema', undefined, object],
  ['null', null, object],
  ['true', true, object],
  ['a schema without a type', { properties: { a: {} } }, { ...object, properties: { a: {} } }],
  ['an object or null', { type: ['object', 'null'], minProperties: 1 }, { ...object, minProperties: 1 }],
  ['a schema of something else', { type: 'string', minLength: 1 }, object],
  ['properties in a list', { ...object, properties: [] }, object],
  [
    'properties that are no schemas',
    { ...object, properties: { a: 7, b: null } },
    { ...object, properties: { a: {}, b: {} } },
  ],
  ['required that are no names', { ...object, required: ['a', 1] }, { ...object, required: ['a'] }],
])('of %s as input schema only what is not allowed is changed', (_, inputSchema, legal) => {
  const tool = legalTool({ name: 'a', inputSchema })
  expect(tool).toEqual({ name: 'a', inputSchema: legal })
  expect(ListToolsResultSchema.safeParse({ tools: [tool] }).success).toBe(true)
})

test('fields that are not what they have to be are left out', () => {
  const wrong = { title: 1, description: null, icons: 'x', annotations: [], execution: true, outputSchema: true }
  expect(legalTool({ name: 'a', inputSchema: object, ...wrong })).toEqual({ name: 'a', inputSchema: object })
})

test.each([
  ['a flag for a property', { inputSchema: { ...object, properties: { a: true, b: false } } }],
  ['an output that is a list', { inputSchema: object, outputSchema: { type: 'array' } }],
  ['an output of no type', { inputSchema: object, outputSchema: { properties: { a: true } } }],
])('%s stays, for some revision allows it', (_, fields) => {
  const tool = { name: 'a', ...fields }
  expect(legalTool(tool)).toBe(tool)
})
