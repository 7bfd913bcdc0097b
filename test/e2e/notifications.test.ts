import { LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchedUri } from '../conformance/server/offer-resources.ts'
import { startServer } from '../conformance/server/start-server.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let scratch: Scratch
let modernServer: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  scratch = await createScratch()
  modernServer = await startServer({ port: 0, era: 'modern' })
  hub = await startTestHub()
  await hub.add(scriptedConnector('scripted', scratch.file('journal')))
  await hub.add({ name: 'modern', transport: 'stream', baseUrl: modernServer.url })
})

afterAll(async () => {
  await hub?.stop()
  await modernServer?.stop()
  await scratch[Symbol.asyncDispose]()
})

const journal = () => readJournal(scratch.file('journal'))
const until = (isSo: () => boolean) => waitFor(() => (isSo() ? true : undefined))

/** A client that notes the resources it hears of. */
async function connectWatcher(era: 'legacy' | 'modern') {
  const heard: string[] = []
  if (era === 'legacy') {
    const client = await hub.connectV1()
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
    const watch = async (uri: string) => {
      await client.subscribeResource({ uri })
      return async () => void (await client.unsubscribeResource({ uri }))
    }
    return { heard, watch, call: (name: string, args: object) => client.callTool({ name, arguments: { ...args } }) }
  }
  const client = await hub.connectV2('auto')
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  const watch = async (uri: string) => {
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    return () => subscription.close()
  }
  return { heard, watch, call: (name: string, args: object) => client.callTool({ name, arguments: { ...args } }) }
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('hears of the resources that it subscribed to at a legacy server, and of no others', async () => {
    const uri = `scripted://${era === 'legacy' ? 'one' : 'two'}`
    const watcher = await connectWatcher(era)
    const bystander = await connectWatcher(era)
    const stop = await watcher.watch(uri)
    await until(() => journal().some((entry) => entry.event === 'subscribe' && entry.uri === uri))
    await watcher.call('scripted__touch', { uri: 'scripted://other' })
    await watcher.call('scripted__touch', { uri })
    await until(() => watcher.heard.length > 0)
    expect(watcher.heard).toEqual([uri])
    expect(bystander.heard).toEqual([])
    await stop()
    await until(() => journal().some((entry) => entry.event === 'unsubscribe' && entry.uri === uri))
  })

  test('hears of the resources that it subscribed to at a modern server', async () => {
    const watcher = await connectWatcher(era)
    const stop = await watcher.watch(watchedUri)
    // The subscription reaches the server on a stream of its own; until then it has nobody to tell.
    await waitFor(async () => {
      await watcher.call('modern__test_trigger_resource_update', {})
      return watcher.heard.length > 0 ? true : undefined
    })
    expect(new Set(watcher.heard)).toEqual(new Set([watchedUri]))
    await stop()
  })
})

test('two clients that watch one resource are one subscription at the server', async () => {
  const uri = 'scripted://shared'
  const of = (event: string) => journal().filter((entry) => entry.event === event && entry.uri === uri)
  const watchers = await Promise.all([connectWatcher('legacy'), connectWatcher('modern')])
  const [stopFirst, stopSecond] = await Promise.all(watchers.map((watcher) => watcher.watch(uri)))
  await until(() => of('subscribe').length > 0)
  await stopFirst!()
  await watchers[1].call('scripted__touch', { uri })
  await until(() => watchers[1].heard.length > 0)
  expect(watchers[0].heard).toEqual([])
  expect([of('subscribe').length, of('unsubscribe').length]).toEqual([1, 0])
  await stopSecond!()
  await until(() => of('unsubscribe').length === 1)
})

describe('log messages', () => {
  test('come to a legacy client from the level that it set, which the server is told', async () => {
    const client = await hub.connectV1()
    const heard: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params))
    await client.setLoggingLevel('warning')
    await until(() => journal().some(({ level }) => level === 'warning'))
    await client.callTool({ name: 'scripted__log', arguments: { level: 'info', text: 'not wanted' } })
    await client.callTool({ name: 'scripted__log', arguments: { level: 'error', text: 'wanted' } })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ level: 'error', logger: 'scripted', data: 'wanted' }])
  })

  test('are asked for at the lowest level that any client set', async () => {
    const [low, high] = await Promise.all([hub.connectV1(), hub.connectV1()])
    await low.setLoggingLevel('debug')
    await high.setLoggingLevel('critical')
    await until(() => journal().some(({ level }) => level === 'debug'))
    expect(journal().some(({ level }) => level === 'critical')).toBe(false)
  })

  test('come to a modern client only with the requests that ask for them', async () => {
    const client = await hub.connectV2('auto')
    const heard: unknown[] = []
    client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data))
    const log = (text: string, _meta?: Record<string, unknown>) =>
      client.callTool({ name: 'scripted__log', arguments: { level: 'info', text }, ...(_meta && { _meta }) })
    await log('not asked for')
    await log('too low', { 'io.modelcontextprotocol/logLevel': 'error' })
    await log('asked for', { 'io.modelcontextprotocol/logLevel': 'debug' })
    await until(() => heard.length > 0)
    expect(heard).toEqual(['asked for'])
  })
})
