import { expect, test } from 'vitest'
import { readArguments } from './read-arguments.ts'

test('a name alone means a TypeScript project', () => {
  expect(readArguments(['my-server'])).toEqual({ folder: 'my-server', template: 'ts', wants: 'project' })
})

test('the template may be said in every usual way', () => {
  for (const words of [
    ['s', '--template', 'js'],
    ['--template=js', 's'],
    ['-t', 'js', 's'],
  ]) {
    expect(readArguments(words)).toMatchObject({ folder: 's', template: 'js' })
  }
})

test.each([
  [['a', 'b'], "One folder at a time: 'a' and 'b' are several."],
  [['a', '--template', 'rust'], "There is no template 'rust'. Choose one: ts, js."],
  [['a', '--force'], "Unknown option '--force'"],
])('%j is refused with the reason', (words, reason) => {
  expect(() => readArguments(words)).toThrow(reason)
})
