import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { bearer } from '../../auth/bearer.ts'
import { ConfigError } from '../../protocol/errors.ts'
import { memoryBus } from '../../registry/memory-bus.ts'
import { memoryRegistry } from '../../registry/memory-registry.ts'
import { on, type EventName } from '../../telemetry/events.ts'
import { sample, serveSample } from './testing/sample.ts'
import { ask, callAdd, EventReader, initialize, listenOn, post } from './testing/wire.ts'

test('beyond loopback it wants to know who may call', async () => {
  const { app } = sample()
  await expect(app.http().listen(0, '0.0.0.0')).rejects.toThrow(ConfigError)
  await expect(app.http().listen(0, '0.0.0.0')).rejects.toThrow(/auth, or allowedHosts/)
  const auth = bearer({ tokens: { me: { token: 'my-token' } } })
  const running = await app.http({ auth }).listen(0, '0.0.0.0')
  expect((await callAdd(running.url, { authorization: 'Bearer my-token' })).status).toBe(200)
  await running.stop()
})

test('a port that is taken is an error, not a crash', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  await expect(sample().app.http().listen(port)).rejects.toThrow('EADDRINUSE')
  await new Promise((resolve) => other.close(resolve))
})

test('draining lets what runs finish and takes nothing new', async () => {
  const served = await serveSample()
  const opened = await initialize(served.url)
  const events = new EventReader(await listenOn(served.url, opened))
  const running = ask(served.url, 'tools/call', { name: 'silent' })
  await served.started.promise
  expect(served.running.health()).toMatchObject({ status: 'up', connections: 1, inFlight: 1 })
  const drained = served.running.drain(20_000)
  expect(await events.next()).toBeUndefined()
  expect(served.running.health().status).toBe('draining')
  const late = await callAdd(served.url).then(
    ({ status }) => status,
    () => 'refused',
  )
  expect([503, 'refused']).toContain(late)
  served.released.fire()
  expect(await (await running).json()).toMatchObject({ result: { content: [{ text: 'waited in silence' }] } })
  await drained
  await served.running.stop()
  await served.running.done
  expect(served.running.health()).toMatchObject({ status: 'down', connections: 0, inFlight: 0 })
  await expect(callAdd(served.url)).rejects.toThrow('fetch failed')
})

test('stopping ends streams and connections, more than once if need be', async () => {
  const served = await serveSample({ sse: true })
  const opened = await initialize(served.url)
  const events = new EventReader(await listenOn(served.url, opened))
  const sse = new EventReader(await fetch(new URL('/sse', served.url)))
  await sse.next()
  await Promise.all([served.running.stop(), served.running.stop()])
  await served.running.done
  expect(await events.next()).toBeUndefined()
  expect(await sse.next()).toBeUndefined()
  expect(served.app.connections.size).toBe(0)
})

test('it makes itself known, to listeners and to a registry', async () => {
  const registry = memoryRegistry()
  const heard: string[] = []
  const names: EventName[] = [
    'mcp.server.start',
    'mcp.transport.open',
    'mcp.cluster.node',
    'mcp.transport.close',
    'mcp.server.stop',
  ]
  const stops = names.map((name) => on(name, () => void heard.push(name)))
  const served = await serveSample({ registry })
  expect(await registry.nodes('sample')).toMatchObject([
    { url: served.url.href, servers: [{ name: 'sample', version: '1', path: '/mcp' }] },
  ])
  await served.running.stop()
  expect(await registry.nodes('sample')).toEqual([])
  for (const stop of stops) stop()
  expect(heard).toEqual([
    'mcp.server.start',
    'mcp.cluster.node',
    'mcp.transport.open',
    'mcp.cluster.node',
    'mcp.server.stop',
    'mcp.transport.close',
  ])
})

test('changes of one process reach the clients of another over the bus', async () => {
  const bus = memoryBus()
  await using one = await serveSample({ bus })
  await using two = await serveSample({ bus })
  const response = await ask(one.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const events = new EventReader(response)
  await events.message()
  two.app.notify.toolsChanged()
  expect((await events.message())?.value).toMatchObject({ method: 'notifications/tools/list_changed' })
  await events.cut()
})

test('a bus and a registry that fail do not keep it from serving', async () => {
  const fail = () => Promise.reject(new Error('The network is gone.'))
  const bus = { publish: fail, subscribe: fail }
  const registry = { join: fail, nodes: fail, claim: fail, owner: fail, release: fail }
  const errors: unknown[] = []
  const stop = on('mcp.error', ({ error }) => void errors.push((error as Error).message))
  await using served = await serveSample({ bus, registry })
  expect((await callAdd(served.url)).status).toBe(200)
  stop()
  expect(errors).toEqual(['The network is gone.', 'The network is gone.'])
})

test('an app that was closed serves nobody any more', async () => {
  const http = sample().app.http()
  const running = await http.listen()
  await http.close()
  expect((await callAdd(running.url)).status).toBe(503)
  expect((await post(running.url, { jsonrpc: '2.0', method: 'notifications/x' })).status).toBe(400)
  await running.stop()
})
