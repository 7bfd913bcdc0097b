import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorInput, ConnectorView } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, isAlive, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startHubProcess, type HubProcess } from './start-hub-process.ts'
import { startTestHub, waitFor } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

let home: TemporaryHome
let scratch: Scratch

beforeEach(async () => {
  ;[home, scratch] = await Promise.all([createTemporaryHome(), createScratch()])
})

afterEach(() => Promise.all([home.remove(), scratch[Symbol.asyncDispose]()]))

const starts = () => readJournal(scratch.file('journal')).filter(({ event }) => event === 'started')

async function toolNames(endpoint: URL): Promise<string[]> {
  const { message } = await new WireClient(endpoint).requestModern('tools/list')
  return (message?.result?.['tools'] as { name: string }[]).map(({ name }) => name)
}

async function callTool(endpoint: URL, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { message } = await new WireClient(endpoint).requestModern('tools/call', { name, arguments: args })
  return (message?.result?.['content'] as { text: string }[])[0]!.text
}

test('a hub that starts again lists what it knew, and starts a process only for the first call', async () => {
  const place = { configHome: home.path, stateHome: join(home.path, 'state') }
  let before: string[]
  {
    await using hub = await startTestHub({
      ...place,
      connectors: [scriptedConnector('scripted', scratch.file('journal'))],
    })
    before = await toolNames(hub.endpoint)
    expect(before).toContain('scripted__echo')
  }
  expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false])
  await using again = await startTestHub(place)
  expect(await toolNames(again.endpoint)).toEqual(before)
  expect(await again.health('scripted')).toMatchObject({ state: 'idle', processId: null, era: 'legacy' })
  expect(starts()).toHaveLength(1)
  expect(await callTool(again.endpoint, 'scripted__echo', { text: 'first call' })).toBe('first call')
  expect(starts()).toHaveLength(2)
})

test('a hub with start=boot starts the process with itself', async () => {
  const place = { configHome: home.path, stateHome: join(home.path, 'state') }
  const connector = scriptedConnector('scripted', scratch.file('journal'), { options: { start: 'boot' } })
  {
    await using _hub = await startTestHub({ ...place, connectors: [connector] })
  }
  await using _again = await startTestHub(place)
  await waitFor(() => (starts().length === 2 ? true : undefined))
})

test('a killed hub leaves no process behind, and the next one has everything and goes on', async () => {
  let databasePid: number
  let names: string[]
  {
    const hub = await startHubProcess(home.path)
    await add(hub, scriptedConnector('scripted', scratch.file('journal'), { env: [{ name: 'API_KEY', value: 'k-1' }] }))
    await add(hub, scriptedConnector('second', scratch.file('second'), { enabled: false }))
    names = await toolNames(hub.endpoint)
    const grandchild = Number(await callTool(hub.endpoint, 'scripted__spawn', { detached: false }))
    const [server] = starts()
    // A call under way and a connector that was acknowledged a moment ago make it a moment as bad as any.
    const underWay = callTool(hub.endpoint, 'scripted__hold').catch((error: unknown) => error)
    await waitFor(() => readJournal(scratch.file('journal')).find(({ name }) => name === 'hold'))
    await add(hub, scriptedConnector('last', scratch.file('last'), { enabled: false }))
    databasePid = Number(readFileSync(join(home.path, 'state/postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
    await hub.kill()
    expect(await underWay).toBeInstanceOf(Error)
    await waitFor(() => (isAlive(server!.pid) || isAlive(grandchild) ? undefined : true))
  }
  {
    await using hub = await startHubProcess(home.path)
    const { connectors } = (await (await fetch(`${hub.url}/api/connectors`)).json()) as { connectors: ConnectorView[] }
    expect(connectors.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['scripted', true],
      ['second', false],
      ['last', false],
    ])
    expect(connectors[0]!.env).toEqual([{ name: 'API_KEY', secret: true, stored: true }])
    expect(await toolNames(hub.endpoint)).toEqual(names)
    expect(starts()).toHaveLength(1)
    expect(await callTool(hub.endpoint, 'scripted__echo', { text: 'on it goes' })).toBe('on it goes')
  }
  expect(isAlive(databasePid)).toBe(false)
  expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false, false])
})

async function add(hub: HubProcess, connector: ConnectorInput): Promise<void> {
  const response = await fetch(`${hub.url}/api/connectors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(connector),
  })
  expect(response.status).toBe(201)
}
