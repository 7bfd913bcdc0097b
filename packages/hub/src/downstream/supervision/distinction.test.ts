import { expect, test } from 'vitest'
import { lacking, relayedCapabilities } from '../../wire/index.ts'
import { toDistinction, toTold } from './distinction.ts'

test.each([
  ['roots/list', {}, {}, 'roots'],
  ['sampling/createMessage', {}, {}, 'sampling'],
  ['sampling/createMessage', { tools: [] }, {}, 'sampling.tools'],
  ['sampling/createMessage', { tools: [] }, { sampling: {} }, 'sampling.tools'],
  ['elicitation/create', {}, {}, 'elicitation.form'],
  ['elicitation/create', { mode: 'url' }, { elicitation: {} }, 'elicitation.url'],
])('%s with %j, asked of a client that can do %j, is a matter of %s', (method, params, can, expected) => {
  const distinction = toDistinction(lacking(method, params, can)!)!
  expect(distinction).toBe(expected)
  // Told the truth, the server knows better.
  expect(lacking(method, params, toTold(can, new Set([distinction])))).not.toBeNull()
})

test('what a server was not seen to ask is told as if every client could do it', () => {
  expect(toTold({}, new Set())).toBe(relayedCapabilities)
  expect(toTold({}, new Set(['roots']))).toEqual({ ...relayedCapabilities, roots: undefined })
  expect(toTold({ elicitation: {} }, new Set(['elicitation.form']))).toEqual(relayedCapabilities)
})

test('what is no capability of clients tells nobody apart', () => {
  expect(toDistinction({})).toBeNull()
  expect(toDistinction({ tools: {} })).toBe('tools')
  expect(toDistinction({ wings: {} })).toBeNull()
})
