import { expect, test } from 'vitest'
import { StderrRing } from './stderr-ring.ts'

const hide = (text: string) => text.replaceAll('canary', '••••')

test('lines come back oldest first', () => {
  const ring = new StderrRing(hide)
  ring.add('stderr', 'one')
  ring.add('hub', 'two')
  expect(ring.last().map(({ stream, text }) => [stream, text])).toEqual([
    ['stderr', 'one'],
    ['hub', 'two'],
  ])
  expect(ring.last(1).map(({ text }) => text)).toEqual(['two'])
  expect(ring.last(0)).toEqual([])
})

test('only the last thousand lines are kept', () => {
  const ring = new StderrRing(hide)
  for (let index = 0; index < 2500; index++) ring.add('stderr', `line ${index}`)
  const texts = ring.last().map(({ text }) => text)
  expect(texts).toHaveLength(1000)
  expect([texts[0], texts.at(-1)]).toEqual(['line 1500', 'line 2499'])
  expect(ring.last(3).map(({ text }) => text)).toEqual(['line 2497', 'line 2498', 'line 2499'])
})

test('a long line is cut', () => {
  const ring = new StderrRing(hide)
  ring.add('stderr', 'x'.repeat(100_000))
  expect(ring.last()[0]!.text).toHaveLength(4000)
})

test('a secret is masked wherever it stands, also where a long line is cut', () => {
  const ring = new StderrRing(hide)
  for (let before = 3990; before < 4002; before++) ring.add('stderr', `${'x'.repeat(before)}canary`)
  expect(ring.last().map(({ text }) => text.replaceAll('x', ''))).not.toContainEqual(expect.stringContaining('c'))
})
