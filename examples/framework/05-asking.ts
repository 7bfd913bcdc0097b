// A tool that asks a person and a model while it works. Legacy clients are asked while the handler waits; modern ones
// get the questions as a result, and the handler runs again from its start with the answers. So what must happen once
// stands in `once`. The check runs the same handler with clients of all five protocol revisions.
import assert from 'node:assert/strict'
import { server, ToolError } from '@herma/framework'
import { matrix } from '@herma/framework/testing'
import { z } from 'zod'

let orders = 0

const app = server({ name: 'bakery', version: '1.0.0' }).tool('order_cake', {}, async (_, context) => {
  const number = await context.once('number', () => ++orders)
  const cake = await context.elicit('cake', {
    message: 'Which cake?',
    schema: z.object({ kind: z.enum(['apple', 'plum']), forWhom: z.string() }),
  })
  if (cake.action !== 'accept') throw new ToolError(`Order ${number} was not placed: the person said ${cake.action}.`)
  const poem = await context.sample('poem', {
    maxTokens: 50,
    messages: [{ role: 'user', content: { type: 'text', text: `A line for the cake of ${cake.value.forWhom}` } }],
  })
  const line = !Array.isArray(poem.content) && poem.content.type === 'text' ? poem.content.text : ''
  return `Order ${number}: ${cake.value.kind} cake for ${cake.value.forWhom}, "${line}"`
})

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await matrix(
    app,
    async (t) => {
      const before = orders
      const { text } = await t.call('order_cake')
      assert.equal(text, `Order ${before + 1}: apple cake for Ada, "Happy birthday"`)
      assert.equal(orders, before + 1)
      assert.deepEqual(
        t.questions.map(({ key }) => key),
        ['cake', 'poem'],
      )
    },
    { onElicit: { cake: { kind: 'apple', forWhom: 'Ada' } }, onSample: 'Happy birthday' },
  )

  await matrix(
    app,
    async (t) => {
      const { isError, text } = await t.call('order_cake')
      assert.ok(isError)
      assert.match(text, /the person said decline/)
    },
    { onElicit: { cake: 'decline' } },
  )
}
