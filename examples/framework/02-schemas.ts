// Any Standard Schema describes arguments and results: here zod, valibot and arktype side by side in one server.
import assert from 'node:assert/strict'
import { server } from '@herma/framework'
import { test } from '@herma/framework/testing'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'

const app = server({ name: 'schemas', version: '1.0.0' })
  .tool(
    'zod',
    { input: z.object({ n: z.number().min(0).default(4) }), output: z.object({ root: z.number() }) },
    ({ n }) => ({ root: Math.sqrt(n) }),
  )
  .tool('valibot', { input: toStandardJsonSchema(v.object({ words: v.array(v.string()) })) }, ({ words }) =>
    words.join(' '),
  )
  .tool('arktype', { input: type({ day: "'mon' | 'tue'", 'times?': 'number.integer > 0' }) }, ({ day, times = 1 }) =>
    day.repeat(times),
  )

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await using t = await test(app)
  // Arguments and results are typed, whichever library describes them; what has a default may be left out.
  const { value } = await t.call('zod')
  assert.equal(value.root, 2)
  assert.equal((await t.call('valibot', { words: ['two', 'words'] })).text, 'two words')
  assert.equal((await t.call('arktype', { day: 'mon', times: 2 })).text, 'monmon')

  // What does not fit is refused in words that a model can act on.
  const refused = await t.callAny('arktype', { day: 'fri' })
  assert.ok(refused.isError)
  assert.match(refused.text, /The arguments of 'arktype' are not valid\. day: day must be "mon" or "tue"/)

  // Clients get JSON Schema.
  const { tools } = await t.client.listTools()
  assert.deepEqual(tools.find(({ name }) => name === 'zod')?.inputSchema.properties?.['n'], {
    type: 'number',
    minimum: 0,
    default: 4,
  })
}
