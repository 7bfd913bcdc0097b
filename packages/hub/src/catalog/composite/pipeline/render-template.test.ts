import { expect, test } from 'vitest'
import { findIn, renderTemplate, templatePaths } from './render-template.ts'

const find = findIn({ input: { a: 'x', n: 1, nil: null, list: [{ b: 2 }], text: 'say {{ input.a }}' } })

test.each([
  ['{{ input.n }}', 1],
  ['{{input.n}}', 1],
  ['  {{ input.list.0.b }} ', 2],
  ['{{ input.n }}{{ input.a }}', '1x'],
  ['a {{ input.nil }} b', 'a null b'],
  ['{{ input.list }}!', '[{"b":2}]!'],
  ['{{ input.text }}', 'say {{ input.a }}'],
  ['> {{ input.text }}', '> say {{ input.a }}'],
  ['\\{{ input.a }} {{ input.a }}', '{{ input.a }} x'],
  ['{{ input.a', '{{ input.a'],
  ['{{ {{ input.a }} }}', '{{ x }}'],
  ['{{ input.constructor }}', undefined],
  ['{{ input.__proto__ }}', undefined],
  [7, 7],
  [null, null],
])('%j becomes %j', (template, value) => {
  expect(renderTemplate(template, find)).toEqual(value)
})

test('a value with a pattern of replacement in it is put in as it is', () => {
  expect(renderTemplate('[{{ v }}]', findIn({ v: "$& $1 $'" }))).toBe("[$& $1 $']")
})

test('a text that would grow without end is refused', () => {
  const long = findIn({ v: 'x'.repeat(1_000_000) })
  expect(() => renderTemplate('{{ v }} '.repeat(100), long)).toThrow(/longer than/)
})

test('text with many braces is read once through', () => {
  const text = '{{ '.repeat(100_000)
  expect(renderTemplate(text, find)).toBe(text)
})

test('every path of a template is found', () => {
  expect(templatePaths({ a: '{{ x }} and {{ y.z }}', b: ['{{w}}', '\\{{ no }}'], c: 1 })).toEqual(['x', 'y.z', 'w'])
})
