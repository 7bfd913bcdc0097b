import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal
const long = 600_000

test('those beyond the limit wait, first come, first served', async () => {
  const turns = new Turns(2, 10)
  const order: string[] = []
  const take = (name: string) => turns.take(never, long).then((outcome) => order.push(`${name} ${outcome}`))
  await Promise.all([take('a'), take('b')])
  const [third, fourth] = [take('c'), take('d')]
  turns.release()
  await third
  turns.release()
  await fourth
  expect(order).toEqual(['a taken', 'b taken', 'c taken', 'd taken'])
})

test('a place that is free again is taken at once', async () => {
  const turns = new Turns(1, 0)
  expect(await turns.take(never, long)).toBe('taken')
  expect(await turns.take(never, long)).toBe('full')
  turns.release()
  expect(await turns.take(never, long)).toBe('taken')
})

test('the line has an end', async () => {
  const turns = new Turns(1, 1)
  await turns.take(never, long)
  const waiting = turns.take(never, long)
  expect(await turns.take(never, long)).toBe('full')
  turns.release()
  expect(await waiting).toBe('taken')
})

test('whoever gives up or waits too long leaves the line, and nobody else loses a turn', async () => {
  const turns = new Turns(1, 3)
  await turns.take(never, long)
  const cancel = new AbortController()
  const cancelled = turns.take(cancel.signal, long)
  const late = turns.take(never, 1)
  const patient = turns.take(never, long)
  cancel.abort()
  expect(await cancelled).toBe('cancelled')
  expect(await late).toBe('late')
  turns.release()
  expect(await patient).toBe('taken')
  turns.release()
  expect(await turns.take(never, long)).toBe('taken')
})

test('a call that is cancelled already takes no place', async () => {
  const turns = new Turns(1, 0)
  expect(await turns.take(AbortSignal.abort(), long)).toBe('cancelled')
  expect(await turns.take(never, long)).toBe('taken')
})
