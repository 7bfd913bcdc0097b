import assert from 'node:assert/strict'
import { server } from '@herma/framework'
import { test } from '@herma/framework/testing'
import { z } from 'zod'

const who = z.object({ name: z.string().describe('Whom to greet.') })
const app = server({ name: 'hello', version: '1.0.0' })
  .tool('greet', { input: who }, ({ name }) => `Hello, ${name}!`)
  .resource('greeting://{name}', {}, ({ name }) => `Hello, ${name}!`)
  .prompt('welcome', { args: who }, ({ name }) => `Welcome ${name} warmly.`)

await (process.argv.includes('--check') ? check() : app.stdio())

async function check() {
  await using t = await test(app)
  assert.equal((await t.call('greet', { name: 'Ada' })).text, 'Hello, Ada!')
  assert.equal((await t.read('greeting://Ada')).text, 'Hello, Ada!')
  assert.equal((await t.prompt('welcome', { name: 'Ada' })).text, 'Welcome Ada warmly.')
}
