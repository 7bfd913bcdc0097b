import { describe, expect, test } from 'vitest'
import { canBeAsked, lacking, relayedCapabilities, toRelayed } from './client-capabilities.ts'

describe('what a server is told that a client can do', () => {
  test.each([
    [{}, {}],
    [{ sampling: {} }, { sampling: {} }],
    [{ sampling: { tools: {}, other: {} } }, { sampling: { tools: {} } }],
    [{ sampling: { tools: true } }, { sampling: {} }],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { schemaValidation: {} } }, { elicitation: { form: {} } }],
    [{ elicitation: { form: { applyDefaults: true } } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [{ roots: { listChanged: true } }, { roots: {} }],
    [{ tasks: { list: {} } }, {}],
    [
      { experimental: { x: { y: 1 } }, extensions: { 'a/b': {} } },
      { experimental: { x: { y: 1 } }, extensions: { 'a/b': {} } },
    ],
    [{ sampling: null, elicitation: 'yes', roots: [], experimental: 1, extensions: true }, {}],
  ])('of %j is %j', (declared, told) => {
    expect(toRelayed(declared)).toEqual(told)
  })

  test('has one form for those that say the same in another order', () => {
    const one = { roots: {}, sampling: { tools: {}, context: {} }, elicitation: { url: {}, form: {} } }
    expect(JSON.stringify(toRelayed(one))).toBe(JSON.stringify(relayedCapabilities))
  })
})

test.each([
  [{}, false],
  [{ experimental: {} }, false],
  [{ sampling: {} }, true],
  [{ elicitation: {} }, true],
  [{ roots: {} }, true],
])('that a client with %j can be asked is %s', (capabilities, can) => {
  expect(canBeAsked(capabilities)).toBe(can)
})

describe('what a client lacks', () => {
  test.each([
    ['roots/list', undefined, {}, { roots: {} }],
    ['roots/list', undefined, { roots: {} }, null],
    ['sampling/createMessage', {}, {}, { sampling: {} }],
    ['sampling/createMessage', {}, { sampling: {} }, null],
    ['sampling/createMessage', { tools: [] }, {}, { sampling: { tools: {} } }],
    ['sampling/createMessage', { tools: [] }, { sampling: {} }, { sampling: { tools: {} } }],
    ['sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }, null],
    ['elicitation/create', {}, { elicitation: {} }, null],
    ['elicitation/create', { mode: 'form' }, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['elicitation/create', { mode: 'url' }, { elicitation: {} }, { elicitation: { url: {} } }],
    ['elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }, null],
    ['elicitation/create', undefined, {}, { elicitation: { form: {} } }],
    ['custom/question', {}, {}, null],
  ])('for %s with %j and %j is %j', (method, params, capabilities, missing) => {
    expect(lacking(method, params, capabilities)).toEqual(missing)
  })
})
