// The low level: every request comes here as it is, with a state for each connection, and is answered, answered later
// or refused. The counter of the RFC that this framework follows.
import assert from 'node:assert/strict'
import { type Behaviour, errorCode, McpError, serverOf } from '@herma/framework'
import { test } from '@herma/framework/testing'

interface State {
  readonly counter: number
}

const tools = [
  {
    name: 'counter',
    description: 'Get or increment counter',
    inputSchema: { type: 'object', properties: { increment: { type: 'boolean' } } },
  },
]

const ended: unknown[] = []

const behaviour: Behaviour<State> = {
  serverInfo: () => ({ name: 'counter', version: '1.0.0' }),
  capabilities: () => ({ tools: { listChanged: true } }),
  init: () => ({ counter: 0 }),
  handleRequest({ method, params }, state) {
    if (method === 'tools/list') return ['reply', { tools }]
    if (method !== 'tools/call' || params?.['name'] !== 'counter') {
      return ['error', new McpError(errorCode.methodNotFound, `Method not implemented: ${method}`)]
    }
    const { increment = false } = (params['arguments'] ?? {}) as { increment?: boolean }
    const counter = state.counter + (increment ? 1 : 0)
    return ['reply', { content: [{ type: 'text', text: `Counter value: ${counter}` }] }, { counter }]
  },
  // Sent with connection.send(event), from anywhere in the process.
  handleInfo(event, _, { notify }) {
    if (event !== 'reset') return ['noreply']
    notify.toolsChanged()
    return ['noreply', { counter: 0 }]
  },
  terminate(reason, { counter }) {
    ended.push([reason, counter])
  },
}

const app = serverOf(behaviour)

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  const t = await test(app, { version: '2025-03-26' })
  const count = async (increment: boolean) => (await t.callAny('counter', { increment })).text
  assert.equal(await count(true), 'Counter value: 1')
  assert.equal(await count(true), 'Counter value: 2')
  assert.equal(await count(false), 'Counter value: 2')
  for (const connection of app.connections) await connection.send('reset')
  await t.heard('notifications/tools/list_changed')
  assert.equal(await count(true), 'Counter value: 1')
  await assert.rejects(t.request('prompts/list'), /Method not implemented: prompts\/list/)
  await t.close()
  assert.deepEqual(ended, [['client', 1]])
}
