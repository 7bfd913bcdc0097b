import { expect, test } from 'vitest'
import { explainRings } from './check-rings.mjs'

const arrows = (/** @type {string[]} */ ...lines) =>
  lines.map((line) => {
    const [from = '', to = ''] = line.split(' → ')
    return { from: `src/${from}`, to: `src/${to}` }
  })

test('arrows that point one way are no ring, however many', () => {
  expect(
    explainRings('src', arrows('a/x.ts → b/x.ts', 'b/x.ts → c/x.ts', 'a/x.ts → c/x.ts', 'a/x.ts → a/y.ts')),
  ).toEqual([])
})

test('a ring over several folders is told once, with an import for each of its arrows', () => {
  const found = explainRings('src', arrows('a/x.ts → b/x.ts', 'b/x.ts → c/x.ts', 'c/y.ts → a/z.ts', 'd/x.ts → a/x.ts'))
  expect(found).toEqual([
    'src: a, b, c import each other. Let one announce, or give both a third:\n' +
      '  src/a/x.ts imports src/b/x.ts\n  src/b/x.ts imports src/c/x.ts\n  src/c/y.ts imports src/a/z.ts',
  ])
})

test('two rings are two lines', () => {
  const two = arrows('a/x.ts → b/x.ts', 'b/x.ts → a/x.ts', 'c/x.ts → d/x.ts', 'd/x.ts → c/x.ts')
  expect(explainRings('src', two)).toHaveLength(2)
})

test('a folder that imports the file beside it which imports the folder is a ring; two files alone are none', () => {
  expect(explainRings('src', arrows('index.ts → a/x.ts', 'a/x.ts → index.ts'))).toHaveLength(1)
  expect(explainRings('src', arrows('one.ts → two.ts', 'two.ts → one.ts'))).toEqual([])
})

test('only what lies in the folder counts, at any depth below it', () => {
  const deep = arrows('a/b/deep/x.ts → a/c/x.ts', 'a/c/x.ts → a/b/y.ts')
  expect(explainRings('src', deep)).toEqual([])
  expect(explainRings('src/a', deep)).toHaveLength(1)
})

test('a known ring may stay and shrink, not grow', () => {
  const three = arrows('a/x.ts → b/x.ts', 'b/x.ts → index.ts', 'index.ts → c/x.ts', 'c/x.ts → a/x.ts')
  expect(explainRings('src', three, [['a', 'b', 'c', 'd']])).toEqual([])
  expect(explainRings('src', three, [['a', 'b']])).toHaveLength(1)
})
