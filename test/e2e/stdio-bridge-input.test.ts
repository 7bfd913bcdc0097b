import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratch, isAlive, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { bridgeCommand, BridgeProcess, type BridgePlace } from './stdio-bridge-process.ts'
import { textOf } from './wire-client.ts'

let hub: TestHub
let scratch: Scratch
let place: BridgePlace

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub({ connectors: [scriptedConnector('scripted', scratch.file('journal'))] })
  place = { folder: dirname(hub.stateHome), args: ['--no-start'] }
})

afterAll(async () => {
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

test('garbage is answered with errors and disturbs nothing', async () => {
  const bridge = new BridgeProcess(place)
  bridge.write('\n\r\nnot json\n')
  expect(await bridge.message(({ error }) => error?.code === -32700)).toMatchObject({ id: null })
  bridge.write(
    '{"jsonrpc":"1.0","id":"old","method":"ping"}\n"text"\n[]\n{"jsonrpc":"2.0","id":"before","method":"tools/list"}\n',
  )
  expect((await bridge.answer('old')).error?.code).toBe(-32600)
  expect((await bridge.answer('before')).error).toMatchObject({ message: expect.stringContaining('initialize first') })
  bridge.write('{"jsonrpc":"2.0","id":"half",')
  bridge.write('"method":"ping"}\r\n')
  expect(await bridge.answer('half')).toMatchObject({ result: {} })
  await bridge.initialize()
  const call = bridge.request('tools/call', { name: 'scripted__echo', arguments: { text: 'fine' } })
  expect(textOf({ message: await call })).toBe('fine')
  expect(await bridge.close()).toBe(0)
})

test('a line beyond the limit is refused by its id, and the next one is served', async () => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  const text = 'x'.repeat(17 * 1024 * 1024)
  const params = { name: 'scripted__echo', arguments: { text } }
  bridge.send({ jsonrpc: '2.0', id: 'first', method: 'tools/call', params })
  bridge.send({ method: 'tools/call', params, jsonrpc: '2.0', id: 'last' })
  expect((await bridge.answer('first')).error?.message).toMatch(/larger than 16777216 bytes/)
  expect((await bridge.answer('last')).error?.message).toMatch(/larger than 16777216 bytes/)
  const large = 'y'.repeat(1024 * 1024)
  const call = bridge.request('tools/call', { name: 'scripted__echo', arguments: { text: large } })
  expect(textOf({ message: await call })).toBe(large)
})

test('an id in use is refused', async () => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  const id = bridge.begin('tools/call', { name: 'scripted__hold', arguments: {} })
  bridge.send({ jsonrpc: '2.0', id, method: 'ping' })
  expect((await bridge.answer(id)).error?.message).toMatch(/in use/)
})

test('what a script pipes in is answered before the end, and a call that hangs is cancelled', async () => {
  const before = readJournal(scratch.file('journal')).length
  const bridge = new BridgeProcess(place)
  void bridge.initialize()
  const list = bridge.begin('tools/list')
  const hold = bridge.begin('tools/call', { name: 'scripted__hold', arguments: {} })
  expect(await bridge.close()).toBe(0)
  expect(bridge.messages.map(({ id }) => id)).toContain(list)
  expect(bridge.messages.map(({ id }) => id)).not.toContain(hold)
  await waitFor(() =>
    readJournal(scratch.file('journal'))
      .slice(before)
      .find(({ event }) => event === 'cancelled'),
  )
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it in order', async (signal) => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  bridge.kill(signal)
  expect(await bridge.exited).toBe(0)
})

test('a client that leaves without reading does not keep it alive', async () => {
  const { command, args, env } = bridgeCommand(place)
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
  child.stdin.write(ping)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.on('error', () => undefined)
  child.stdin.write(ping)
  await exited
  expect(isAlive(child.pid!)).toBe(false)
})

test('an unknown server is named on standard error with those that there are', async () => {
  const bridge = new BridgeProcess({ ...place, args: ['--server', 'nowhere'] })
  expect(await bridge.exited).toBe(4)
  expect(bridge.errorText).toContain("There is no server 'nowhere'. There are: facade, herma.")
  expect(bridge.lines).toEqual([])
})

test('a client that does not read is not read from, and gets everything in the end', async () => {
  const { command, args, env } = bridgeCommand(place)
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const text = 'z'.repeat(200_000)
  const count = 100
  const requests = Array.from({ length: count }, (_, id) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'scripted__echo', arguments: { text }, _meta }
    return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
  })
  child.stdin.write(requests.join(''))
  // The pipe has come to rest once what waits on our side stays the same.
  let waiting = -1
  await waitFor(async () => {
    const before = waiting
    await new Promise((resolve) => setTimeout(resolve, 1000))
    waiting = child.stdin.writableLength
    return waiting === before ? true : undefined
  })
  expect(waiting).toBeGreaterThan(0)
  let received = ''
  child.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()))
  await waitFor(() => (received.split('\n').length > count ? true : undefined), 60_000)
  const ids = received
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(ids.sort((one, other) => one - other)).toEqual(Array.from({ length: count }, (_, id) => id))
  child.stdin.end()
  await exited
})
