import { expect, test } from 'vitest'
import { paramHeaderProblem } from './param-header-problem.ts'

const annotated = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name })
const withProperties = (properties: object) => ({ type: 'object', properties })

test.each([
  ['no schema', undefined],
  ['no annotation', withProperties({ a: { type: 'number' } })],
  [
    'one of each type',
    withProperties({ a: annotated('A'), b: annotated('B', 'integer'), c: annotated('C', 'boolean') }),
  ],
  ['one deep inside', withProperties({ a: withProperties({ b: annotated('B') }) })],
  ['a property that is named like it', withProperties({ 'x-mcp-header': { type: 'string' } })],
  ['an example that looks like it', withProperties({ a: { type: 'object', examples: [{ 'x-mcp-header': '' }] } })],
])('%s is right', (_, schema) => {
  expect(paramHeaderProblem(schema)).toBeUndefined()
})

test.each([
  ['empty', withProperties({ a: annotated('') })],
  ['a number', withProperties({ a: annotated(5) })],
  ['with a space', withProperties({ a: annotated('My Region') })],
  ['with a colon', withProperties({ a: annotated('Region:') })],
  ['with a control character', withProperties({ a: annotated('Re\r\ngion') })],
  ['not ASCII', withProperties({ a: annotated('Región') })],
  ['there twice', withProperties({ a: annotated('Region'), b: annotated('REGION') })],
  ['on an object', withProperties({ a: annotated('A', 'object') })],
  ['on an array', withProperties({ a: annotated('A', 'array') })],
  ['on a number', withProperties({ a: annotated('A', 'number') })],
  ['on nothing in particular', withProperties({ a: { 'x-mcp-header': 'A' } })],
  ['on the root', { ...withProperties({}), 'x-mcp-header': 'A' }],
  ['in an array', withProperties({ a: { type: 'array', items: annotated('A') } })],
  ['in a choice', withProperties({ a: { oneOf: [annotated('A')] } })],
  ['in a definition', { ...withProperties({}), $defs: { a: annotated('A') } }],
  ['in a condition', { if: withProperties({ a: annotated('A') }) }],
])('an annotation %s is wrong', (_, schema) => {
  expect(paramHeaderProblem(schema)).toMatch(/x-mcp-header/)
})
