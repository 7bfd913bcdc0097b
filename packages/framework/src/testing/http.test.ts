import { describe, expect, test as it } from 'vitest'
import { z } from 'zod'
import { bearer } from '../auth/bearer.ts'
import { versions } from '../protocol/version.ts'
import { server } from '../server/app.ts'
import { test } from './index.ts'

function makeApp() {
  return server({ name: 'web', version: '1.0.0', state: { init: () => ({ count: 0 }), by: 'principal' } })
    .tool('whoami', {}, (_, { principal, connection }) => `${principal?.id ?? 'nobody'} over ${connection.kind}`)
    .tool('count', {}, async (_, { state }) => `${(await state.update(({ count }) => ({ count: count + 1 }))).count}`)
    .tool('write', { scopes: ['write'] }, () => 'written')
    .tool('sign', {}, async (_, context) => {
      context.progress(1, 2)
      const person = await context.elicit('who', { message: 'Who are you?', schema: z.object({ name: z.string() }) })
      context.log.info('asked')
      return person.action === 'accept' ? person.value.name : person.action
    })
    .resource('note://all', {}, () => 'All notes')
}

describe.each(versions)('over HTTP with a client of %s', (version) => {
  it('calls, questions, progress and logs pass a real socket', async () => {
    await using t = await test(makeApp(), { version, http: true, onElicit: { who: { name: 'Ada' } } })

    expect((await t.call('sign')).text).toBe('Ada')
    expect((await t.call('whoami')).text).toBe(`nobody over ${version === '2024-11-05' ? 'sse' : 'http'}`)
    expect(t.questions.map(({ key }) => key)).toEqual(['who'])
    expect(t.progress.length).toBeGreaterThan(0)
    expect(t.log).toEqual([{ level: 'info', data: 'asked' }])
    expect(t.client.getNegotiatedProtocolVersion()).toBe(version)
  })

  it('the principal and its state are those of the options', async () => {
    await using t = await test(makeApp(), { version, http: true, principal: { id: 'ada', scopes: [] } })
    await t.call('count')

    expect((await t.call('whoami')).text).toContain('ada')
    expect(await t.state()).toEqual({ count: 1 })
    await expect(t.call('write')).rejects.toThrow(/scope/)
  })

  it('changes and updates are heard', async () => {
    const app = makeApp()
    await using t = await test(app, { version, http: true })
    await t.watch('note://all')

    app.tool('late', {}, () => 'here')
    app.notify.resourceUpdated('note://all')

    await t.heard('notifications/tools/list_changed')
    await t.heard('notifications/resources/updated')
    expect(await t.list('tool')).toContain('late')
  })

  it('any message can be sent as it is', async () => {
    await using t = await test(makeApp(), { version, http: true })

    expect(await t.request('resources/read', { uri: 'note://all' })).toMatchObject({
      contents: [{ text: 'All notes' }],
    })
    await expect(t.request('no/such')).rejects.toMatchObject({ code: -32_601 })
    expect(
      await t.raw({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }),
    ).toBeUndefined()
  })
})

it('the server may be served with options of its own', async () => {
  const auth = bearer({ tokens: { team: { token: 'a-token-of-the-team' } } })
  const http = { path: '/api/mcp', auth }

  await using t = await test(makeApp(), { http, headers: { authorization: 'Bearer a-token-of-the-team' } })

  expect((await t.call('whoami')).text).toBe('team over http')
  await expect(test(makeApp(), { http })).rejects.toThrow(/401|[Uu]nauthorized/)
})

it('a batch is answered as one', async () => {
  await using t = await test(makeApp(), { version: '2025-03-26', http: true })

  const answer = await t.raw([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })))

  expect((answer as { id: number }[]).map(({ id }) => id).toSorted()).toEqual([1, 2])
})

it('state that ends with its request is not mistaken for that of the client', async () => {
  const app = server({ name: 'web', version: '1.0.0', state: { init: () => 0 } })
  await using t = await test(app, { http: true })

  await expect(t.state()).rejects.toThrow("Set the server's state.by.")
})
