import { expect, test } from 'vitest'
import { z } from 'zod'
import { watchLimits } from '../connection/live-connection.ts'
import { test as connect } from '../testing/index.ts'
import { server } from './app.ts'
import { PipeClient } from './testing/pipe-client.ts'

const scopes = ['admin']

function build() {
  return server({ name: 'scoped', version: '1.0.0' })
    .prompt('p', { scopes, args: z.object({ who: z.string() }), complete: { who: () => ['root'] } }, () => '')
    .resource('user://{id}', { scopes, complete: { id: () => ['root'] } }, () => '')
    .resource('public://news', {}, () => 'news')
}

test('what may not be got may not be completed', async () => {
  await using stranger = await connect(build(), { principal: { id: 'eve', scopes: [] } })
  await using admin = await connect(build(), { principal: { id: 'ada', scopes } })
  for (const [of, argument] of [
    [{ prompt: 'p' }, 'who'],
    [{ template: 'user://{id}' }, 'id'],
  ] as const) {
    await expect(stranger.complete(of, argument, '')).rejects.toThrow(/needs the scope admin/)
    expect(await admin.complete(of, argument, '')).toEqual(['root'])
  }
})

test.each(['2025-11-25', '2026-07-28'] as const)('what may not be read may not be watched (%s)', async (version) => {
  const app = build()
  await using stranger = await connect(app, { version, principal: { id: 'eve', scopes: [] } })
  // A legacy client is refused; a modern one is granted what it may have, which is nothing.
  await stranger.watch('user://1').catch(() => {})
  await stranger.watch('public://news')
  app.notify.resourceUpdated('user://1')
  app.notify.resourceUpdated('public://news')
  const heard = await stranger.heard('notifications/resources/updated')
  expect(heard.params['uri']).toBe('public://news')
})

test('a client cannot have endless lists of URIs watched', async () => {
  const uris = Array.from({ length: watchLimits.resources + 1 }, (_, index) => `public://${index}`)
  await using modern = await PipeClient.open(build(), 'modern')
  const { error } = await modern.request('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
  expect(error).toMatchObject({ code: -32602 })
  await using legacy = await PipeClient.open(build(), 'legacy')
  const answers = await Promise.all(uris.map((uri) => legacy.request('resources/subscribe', { uri })))
  expect(answers.at(-2)?.result).toEqual({})
  expect(answers.at(-1)?.error).toMatchObject({ code: -32602 })
  expect((await legacy.request('resources/subscribe', { uri: uris[0] })).result).toEqual({})
  const long = `public://${'x'.repeat(watchLimits.uriLength)}`
  expect((await legacy.request('resources/subscribe', { uri: long })).error).toMatchObject({ code: -32602 })
})
