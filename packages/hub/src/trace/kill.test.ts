import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runSource } from '../platform/testing/source-process.ts'
import { openTestStore } from '../platform/testing/test-store.ts'

test('after kill -9 in the middle of recording, what was stored is whole and the next start goes on', async () => {
  const opened = await openTestStore()
  await opened.store.stop()
  let stored = 0
  for (let round = 0; round < 2; round++) {
    const recording = runSource('../../trace/testing/record-events.ts', [opened.stateHome])
    await recording.waitForLine('stored')
    await sleep(Math.random() * 300)
    recording.kill('SIGKILL')
    await recording.exited
    const last = Number(recording.lines.at(-1)?.split(' ')[1])
    expect(last).toBeGreaterThan(stored)
    stored = last
  }
  const store = await opened.reopen()
  const numbersIn = async (table: string) => {
    const text = `select (data->>'number')::integer as number from ${table} where data ? 'number' and kind = $1 order by id`
    const kind = table === 'event' ? 'test.counted' : 'test.added'
    return (await store.pool.query<{ number: number }>(text, [kind])).rows.map(({ number }) => number)
  }
  // Each once, in order, without a gap; each start goes on behind the last one that it finds.
  const numbers = await numbersIn('event')
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  expect(numbers.length).toBeGreaterThanOrEqual(stored)
  const audited = new Set(await numbersIn('audit_event'))
  expect(Array.from({ length: stored }, (_, index) => index + 1).filter((number) => !audited.has(number))).toEqual([])
  await opened.close()
}, 90_000)
