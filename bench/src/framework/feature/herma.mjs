// Program of the framework bench: herma.mjs stdio|http [PORT]; with OAUTH set, only tokens open it.
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryEventLog, server } from '@herma/framework'
import { oauth } from '@herma/framework/auth'
import { z } from 'zod'

const [transport, port] = process.argv.slice(2)
let wasCancelled = false

const app = server({ name: 'feature', version: '1.0.0' })
  .tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b))
  .tool('wait', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    wasCancelled = true
  })
  .tool('cancelled', {}, () => String(wasCancelled))
  .tool('steps', {}, async (_, context) => {
    context.progress(1, 2)
    await sleep(300)
    context.progress(2, 2)
    await sleep(300)
    return 'done'
  })
  .tool('ask', {}, async (_, context) => {
    const answer = await context.elicit('name', { message: 'Who are you?', schema: z.object({ name: z.string() }) })
    return answer.action === 'accept' ? `Hello, ${answer.value.name}!` : answer.action
  })
  .tool('measure', { output: z.object({ sum: z.number() }) }, () => ({ sum: 3 }))
  .tool('grow', {}, () => {
    app.tool('grown', {}, () => 'grown')
    return 'done'
  })
  .resource('greeting://{name}', { complete: { name: ['Ana', 'Bob'] } }, ({ name }) => `Hello, ${name}!`)
  .prompt(
    'review',
    { args: z.object({ language: z.string() }), complete: { language: ['python', 'perl', 'rust'] } },
    ({ language }) => `Review this ${language}.`,
  )

if (transport === 'stdio') {
  await app.stdio()
} else {
  const auth = oauth({ resource: `http://127.0.0.1:${port}/mcp`, issuer: 'https://issuer.example' })
  const options = { sse: true, connections: { events: memoryEventLog() } }
  await app.http(process.env.OAUTH ? { ...options, auth } : options).listen(Number(port))
}
