// State that outlives a request: of each connection, or of each principal. `update` compares and swaps, so that
// requests that come at the same time lose nothing, also when several processes share one store.
import assert from 'node:assert/strict'
import { server } from '@herma/framework'
import { test } from '@herma/framework/testing'

const counter = server({ name: 'counter', version: '1.0.0', state: { init: () => ({ count: 0 }) } }).tool(
  'increment',
  {},
  async (_, { state }) => {
    const { count } = await state.update(({ count: before }) => ({ count: before + 1 }))
    return `${count}`
  },
)

const saved = server({ name: 'saved', version: '1.0.0', state: { init: () => 'nothing', by: 'principal' } }).tool(
  'remember',
  {},
  async (_, { state, principal }) => {
    const before = await state.get()
    await state.set(`a visit of ${principal?.id ?? 'somebody'}`)
    return before
  },
)

const app = counter.mount(saved, { namespace: 'saved' })

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await using first = await test(app, { version: '2025-11-25' })
  await using second = await test(app, { version: '2025-06-18' })
  await Promise.all(Array.from({ length: 20 }, () => first.call('increment')))
  await second.call('increment')
  assert.deepEqual(await first.state(), { count: 20 })
  assert.deepEqual(await second.state(), { count: 1 })
  assert.deepEqual(
    [...app.connections].map(({ version }) => version),
    ['2025-11-25', '2025-06-18'],
  )

  // A principal finds its state again on another connection.
  const principal = { id: 'ada', scopes: [] }
  await using monday = await test(app, { principal })
  assert.equal((await monday.call('saved_remember')).text, 'nothing')
  await using tuesday = await test(app, { principal, version: '2025-03-26' })
  assert.equal((await tuesday.call('saved_remember')).text, 'a visit of ada')
  assert.equal((await first.call('saved_remember')).text, 'nothing')
}
