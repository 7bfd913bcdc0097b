import { expect, test } from 'vitest'
import { fillArguments } from './fill-arguments.ts'

const input = { text: 'find {depth} cats', fields: { query: 'cats', depth: 2, path_globs: ['a', 'b'] } }

test.each([
  ['the request as one text', { q: '{input}' }, { q: 'find {depth} cats' }],
  ['a value of its own type', { limit: '{depth}' }, { limit: 2 }],
  ['a value inside of a text', { q: 'about {query} ({depth})' }, { q: 'about cats (2)' }],
  ['values deep inside', { a: { b: ['{query}', { c: '{depth}' }] } }, { a: { b: ['cats', { c: 2 }] } }],
  ['what was not given is left out', { cwd: '{cwd}', list: ['{cwd}'] }, { list: [] }],
  ['what was not given is nothing in a text', { q: 'in {cwd}.' }, { q: 'in .' }],
  ['braces that name no argument stay', { q: '{other} {} {a b}' }, { q: '{other} {} {a b}' }],
  ['what is no text stays', { n: 1, b: false, z: null }, { n: 1, b: false, z: null }],
])('fills %s', (_name, template, expected) => {
  expect(fillArguments(template, 'search.web', input)).toEqual(expected)
})

test('what was filled in is not filled again', () => {
  const nested = { text: 'x', fields: { query: '{input}' } }
  expect(fillArguments({ q: 'ask: {query}' }, 'search.web', nested)).toEqual({ q: 'ask: {input}' })
})

test('a chat has its text only', () => {
  expect(fillArguments({ q: '{input} {query}' }, 'chat', { text: 'hello', fields: {} })).toEqual({ q: 'hello {query}' })
})
