import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorInput } from '@herma/contract'
import { beforeEach, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, isAlive, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { databasePid, startHubProcess } from './start-hub-process.ts'
import { operatorHeaders } from './operator-headers.ts'
import { waitFor } from './start-test-hub.ts'
import { BridgeProcess, connectV2 } from './stdio-bridge-process.ts'
import { textOf, toolNames, type WireMessage } from './wire-client.ts'

let home: TemporaryHome
let scratch: Scratch

beforeEach(async ({ onTestFinished }) => {
  ;[home, scratch] = await Promise.all([createTemporaryHome(), createScratch()])
  // Registered first, so it comes last: what runs in the folder ends before the folder goes.
  onTestFinished(() => home.remove())
  onTestFinished(() => scratch[Symbol.asyncDispose]())
})

const stateHome = () => join(home.path, 'state')
const announced = () => {
  const file = join(stateHome(), 'hub.json')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.endsWith('\n') ? (JSON.parse(text) as { url: string; processId: number }) : undefined
}
const running = () => waitFor(announced, 60_000)
const echo = (text: string) => ({ name: 'scripted__echo', arguments: { text } })
const textIn = (message: WireMessage) => textOf({ message })
const starts = () => readJournal(scratch.file('journal')).filter(({ event }) => event === 'started')

async function add(connector: ConnectorInput): Promise<void> {
  const { url } = await running()
  const body = JSON.stringify(connector)
  const response = await fetch(`${url}/api/connectors`, {
    method: 'POST',
    headers: { ...(await operatorHeaders(stateHome())), 'content-type': 'application/json' },
    body,
  })
  expect(response.status).toBe(201)
}

test('without a hub the bridge starts one, and nothing is left of it when its client leaves', async () => {
  const bridge = new BridgeProcess({ folder: home.path })
  await bridge.initialize()
  expect((await running()).processId).toBe(bridge.pid)
  await add(scriptedConnector('scripted', scratch.file('journal')))
  expect(textIn(await bridge.request('tools/call', echo('embedded')))).toBe('embedded')
  const hold = bridge.begin('tools/call', { name: 'scripted__hold', arguments: {} })
  await waitFor(() => readJournal(scratch.file('journal')).find(({ name }) => name === 'hold'))
  const processes = [databasePid(stateHome())!, ...starts().map(({ pid }) => pid)]
  expect(processes.every(isAlive)).toBe(true)
  expect(await bridge.close()).toBe(0)
  expect(processes.some(isAlive)).toBe(false)
  expect(announced()).toBeUndefined()
  expect(bridge.messages.filter(({ id }) => id === hold)).toEqual([])
})

test('bridges that start at the same time share one hub; when its process ends, another one goes on', async () => {
  const place = { folder: home.path }
  const bridges = [new BridgeProcess(place), new BridgeProcess(place), new BridgeProcess(place)]
  await Promise.all(bridges.map((bridge) => bridge.initialize()))
  const { processId, url } = await running()
  const first = bridges.find(({ pid }) => pid === processId)!
  expect(first).toBeDefined()
  await add(scriptedConnector('scripted', scratch.file('journal')))
  const others = bridges.filter((bridge) => bridge !== first)
  for (const bridge of others) expect(textIn(await bridge.request('tools/call', echo('shared')))).toBe('shared')
  expect(
    await (await fetch(`${url}/api/status`, { headers: await operatorHeaders(stateHome()) })).json(),
  ).toMatchObject({ processId, connections: 3 })
  await Promise.all(others.map((bridge) => bridge.request('logging/setLevel', { level: 'warning' })))
  await first.close()
  const answers = await Promise.all(others.map((bridge) => bridge.request('tools/call', echo('goes on'))))
  expect(answers.map(textIn)).toEqual(['goes on', 'goes on'])
  const second = others.find(({ pid }) => pid === announced()?.processId)!
  const last = others.find((bridge) => bridge !== second)!
  await Promise.all(
    others.map((bridge) => bridge.message(({ method }) => method === 'notifications/tools/list_changed')),
  )
  second.kill('SIGKILL')
  await second.exited
  expect(textIn(await last.request('tools/call', echo('and on')))).toBe('and on')
  expect((await running()).processId).toBe(last.pid)
  expect(await last.close()).toBe(0)
  expect(databasePid(stateHome())).toBeUndefined()
})

test('herma stop stops the hub of an idle client, whose next call starts another one', async () => {
  const bridge = new BridgeProcess({ folder: home.path })
  await bridge.initialize()
  await add(scriptedConnector('scripted', scratch.file('journal')))
  const { terminal, written } = captureTerminal({ env: { ...bridge.env } })
  expect(await runCli(['stop'], terminal)).toBe(0)
  expect(written.out).toContain('has stopped')
  expect(announced()).toBeUndefined()
  expect(databasePid(stateHome())).toBeUndefined()
  expect(textIn(await bridge.request('tools/call', echo('again')))).toBe('again')
  expect((await running()).processId).toBe(bridge.pid)
  expect(await bridge.close()).toBe(0)
})

test('a killed hub costs the calls under way, and nothing else', async () => {
  const place = { folder: home.path, args: ['--no-start'] }
  const hub = await startHubProcess(home.path)
  await add(scriptedConnector('scripted', scratch.file('journal')))
  const legacy = new BridgeProcess(place)
  const modern = await connectV2(place, 'auto')
  const heard: unknown[] = []
  modern.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'))
  modern.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  await modern.listen({ toolsListChanged: true, resourceSubscriptions: ['scripted://two'] })
  await legacy.initialize()
  await legacy.request('resources/subscribe', { uri: 'scripted://one' })
  const hold = legacy.begin('tools/call', { name: 'scripted__hold', arguments: {} })
  await waitFor(() => readJournal(scratch.file('journal')).find(({ name }) => name === 'hold'))
  const watched = () => readJournal(scratch.file('journal')).filter(({ event }) => event === 'subscribe')
  await waitFor(() => (watched().length === 2 ? true : undefined))
  await hub.kill()
  expect((await legacy.answer(hold)).error?.message).toMatch(/may have run/)
  const waiting = legacy.request('tools/call', echo('after'))
  await using _again = await startHubProcess(home.path)
  expect(textIn(await waiting)).toBe('after')
  await legacy.message(({ method }) => method === 'notifications/tools/list_changed')
  await legacy.message(
    ({ method, params }) => method === 'notifications/resources/updated' && params?.['uri'] === 'scripted://one',
  )
  await waitFor(() => (heard.length === 2 ? true : undefined))
  expect(heard).toEqual(['tools', 'scripted://two'])
  await waitFor(() => (watched().length === 4 ? true : undefined))
  await legacy.request('tools/call', { name: 'scripted__touch', arguments: { uri: 'scripted://two' } })
  await waitFor(() => (heard.length === 3 ? true : undefined))
  expect(toolNames({ message: await legacy.request('tools/list'), status: 200, headers: new Headers() })).toContain(
    'scripted__echo',
  )
})
