import { expect, test } from 'vitest'
import { createTemplateMatcher } from './uri-template.ts'

test.each([
  ['file:///{path}', 'file:///a.txt'],
  ['file:///{+path}', 'file:///a/b/c.txt'],
  ['file:///{path}', 'file:///'],
  ['demo://item/{id}/view', 'demo://item/7/view'],
  ['demo://item/{id}/view', 'demo://item//view'],
  ['demo://{a}/{b}', 'demo://x/y/z'],
  ['demo://{a}{b}', 'demo://x'],
  ['{uri}', 'anything at all'],
  ['demo://search{?q,limit}', 'demo://search?q=a'],
  ['demo://fixed', 'demo://fixed'],
  ['demo://a.b/{x}', 'demo://a.b/1'],
  ['demo://{a}/x/{b}/y', 'demo://1/x/2/x/3/y'],
  ['demo://größe/{x}', 'demo://größe/ü'],
])('%s leads to %s', (template, uri) => {
  expect(createTemplateMatcher(template)(uri)).toBe(true)
})

test.each([
  ['file:///{path}', 'http:///a'],
  ['demo://item/{id}/view', 'demo://item/7'],
  ['demo://item/{id}/view', 'demo://item/view'],
  ['demo://{a}/{b}', 'demo://x'],
  ['a{x}a', 'a'],
  ['x{a}/{b}/y', 'x/y'],
  ['demo://fixed', 'demo://fixed/more'],
  ['demo://a.b/{x}', 'demo://aXb/1'],
  ['demo://(a+)+$/{x}', `demo://${'a'.repeat(50)}/1`],
  ['demo://{unclosed', 'demo://x'],
  ['', 'demo://x'],
])('%s does not lead to %s', (template, uri) => {
  expect(createTemplateMatcher(template)(uri)).toBe(false)
})

test('a template made to be slow is read once through', () => {
  const template = `${'{a}x'.repeat(5000)}y`
  expect(createTemplateMatcher(template)('x'.repeat(100_000))).toBe(false)
})
