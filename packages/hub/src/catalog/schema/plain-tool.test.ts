import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { readJson, writeJson } from '../../wire/index.ts'
import { plainTool } from './plain-tool.ts'

const object = { type: 'object' }
const isTaken = (tool: unknown) => ListToolsResultSchema.safeParse({ tools: [tool] }).success

test('a tool that clients of the first SDK take comes back as it is', () => {
  const tool = { name: 'a', inputSchema: { ...object, properties: { id: { items: true } } }, outputSchema: object }
  expect(isTaken(tool)).toBe(true)
  expect(plainTool(tool)).toBe(tool)
})

test.each([
  ['a flag for a property', { inputSchema: { ...object, properties: { a: true, b: false } } }],
  ['a flag in its output', { inputSchema: object, outputSchema: { ...object, properties: { a: true } } }],
  ['an output that is a list', { inputSchema: object, outputSchema: { type: 'array' } }],
  ['an output that does not say that it is an object', { inputSchema: object, outputSchema: { properties: {} } }],
])('one with %s is refused by such a client, and taken in its plain form', (_, fields) => {
  const tool = { name: 'a', ...fields }
  expect(isTaken(tool)).toBe(false)
  expect(isTaken(plainTool(tool))).toBe(true)
})

test('nothing else changes', () => {
  const text = '{"name":"a","inputSchema":{"type":"object","properties":{"n":{"maximum":1E400},"any":true}},"x":1.0}'
  expect(writeJson(plainTool(readJson(text) as Record<string, unknown>))).toBe(text.replace('true', '{}'))
})
