// Two extensions. Tasks: a call that goes on after it was answered, while the client polls. MCP Apps: a view in HTML that
// clients show beside the result of a tool. Clients without them get an ordinary call and an ordinary result.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { server, tasks } from '@herma/framework'
import { apps, supportsUi, uiResource, withUi } from '@herma/framework/apps'
import { matrix, test } from '@herma/framework/testing'
import { z } from 'zod'

const view = uiResource('ui://oven/cake.html', { html: '<!doctype html><h1>🍰</h1>', prefersBorder: true })

const app = server({ name: 'oven', version: '1.0.0' })
  .plugin(tasks({ pollIntervalMs: 5 }))
  .plugin(apps(view))
  .tool(
    'bake',
    withUi({ task: 'allowed', input: z.object({ minutes: z.number().int() }) }, view.uri),
    async ({ minutes }, context) => {
      for (let minute = 0; minute < minutes; minute++) await sleep(2, undefined, { signal: context.signal })
      const icing = await context.elicit('icing', { message: 'Icing?', schema: z.object({ icing: z.boolean() }) })
      const isIced = icing.action === 'accept' && icing.value.icing
      return `A cake ${isIced ? 'with' : 'without'} icing${supportsUi(context) ? ', shown beside this text' : ''}.`
    },
  )

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  // Clients that know neither extension simply wait for the result.
  const onElicit = { icing: { icing: true } }
  await matrix(app, async (t) => assert.equal((await t.call('bake', { minutes: 2 })).text, 'A cake with icing.'), {
    onElicit,
  })

  const extensions = {
    'io.modelcontextprotocol/tasks': {},
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
  }
  await using t = await test(app, { capabilities: { elicitation: {}, extensions } })
  const { tools } = await t.client.listTools()
  assert.deepEqual(tools[0]?._meta?.['ui'], { resourceUri: 'ui://oven/cake.html' })
  assert.match((await t.read('ui://oven/cake.html')).text, /<h1>/)

  const task = await t.request('tools/call', { name: 'bake', arguments: { minutes: 2 } })
  assert.equal(task['resultType'], 'task')
  const taskId = task['taskId']
  const reach = async (status: string) => {
    for (;;) {
      const now = await t.request('tasks/get', { taskId })
      if (now['status'] === status) return now
      await sleep(5)
    }
  }
  // A question of a task waits with it until the client answers.
  await reach('input_required')
  const answer = { action: 'accept', content: { icing: false } }
  await t.request('tasks/update', { taskId, inputResponses: { icing: answer } })
  const done = await reach('completed')
  assert.deepEqual((done['result'] as { content: unknown }).content, [
    { type: 'text', text: 'A cake without icing, shown beside this text.' },
  ])
}
