import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runSource } from '../platform/testing/source-process.ts'
import { openTestStore } from '../platform/testing/test-store.ts'

test('after kill -9 in the middle of recording, what was stored is whole and the next start goes on', async () => {
  const opened = await openTestStore()
  await opened.store.stop()
  let stored = 0
  for (let round = 0; round < 3; round++) {
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
  for (const [table, kind] of [
    ['event', 'test.counted'],
    ['audit_event', 'test.added'],
  ]) {
    const { rows } = await store.pool.query<{ number: number }>(
      `select (data->>'number')::integer as number from ${table} where kind = $1 order by id`,
      [kind],
    )
    // Each once and in order. What was not acknowledged may be there or not, but only as the end of a round.
    const numbers = rows.map(({ number }) => number)
    expect(numbers.filter((number) => number <= stored)).toEqual(
      Array.from({ length: Math.min(stored, numbers.length) }, (_, index) => index + 1),
    )
    expect(numbers.length).toBeGreaterThanOrEqual(stored)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  }
  await opened.close()
})
