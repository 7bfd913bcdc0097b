// A long tool that says how far it is, writes to the client's log and stops when nobody waits for it any more.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { server } from '@herma/framework'
import { matrix, test } from '@herma/framework/testing'
import { z } from 'zod'

const oven = new EventEmitter()

const app = server({ name: 'kitchen', version: '1.0.0' }).tool(
  'bake',
  { input: z.object({ minutes: z.number().int().positive(), minuteMs: z.number().default(1000) }), timeoutMs: 0 },
  async ({ minutes, minuteMs }, context) => {
    context.signal.addEventListener('abort', () => oven.emit('off'), { once: true })
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(minuteMs, undefined, { signal: context.signal })
      context.progress(minute, minutes, `minute ${minute}`)
    }
    context.log.info('The cake is done.')
    return 'A cake'
  },
)

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await matrix(app, async (t) => {
    assert.equal((await t.call('bake', { minutes: 3, minuteMs: 1 })).text, 'A cake')
    assert.deepEqual(
      t.progress.map(({ done, total }) => [done, total]),
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
    )
    assert.deepEqual(t.log, [{ level: 'info', data: 'The cake is done.' }])
  })

  await using t = await test(app)
  const turnedOff = once(oven, 'off')
  const signal = AbortSignal.timeout(20)
  await assert.rejects(t.call('bake', { minutes: 60 }, { signal }))
  await turnedOff
}
