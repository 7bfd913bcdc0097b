import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matrix, test } from '@herma/framework/testing'
import { app } from '../src/server.ts'

describe('__name__', () => {
  it('greets by name', async () => {
    await using t = await test(app)

    assert.equal((await t.call('greet', { name: 'Ada' })).text, 'Hello, Ada!')
    assert.equal((await t.read('greeting://Ada')).text, 'Hello, Ada!')
    assert.equal((await t.prompt('welcome', { name: 'Ada' })).text, 'Write a warm welcome for Ada.')
  })

  it('adds the same for clients of every protocol revision', async () => {
    await matrix(app, async (t) => {
      const { value } = await t.call('add', { a: 2, b: 3 })
      assert.equal(value.sum, 5)
    })
  })

  it('refuses arguments that do not fit', async () => {
    await using t = await test(app)

    const refused = await t.callAny('greet', { name: '' })
    assert.equal(refused.isError, true)
    assert.match(refused.text, /The arguments of 'greet' are not valid/)
  })
})
