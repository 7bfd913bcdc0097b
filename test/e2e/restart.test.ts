import { join } from 'node:path'
import type { ConnectorInput, ConnectorView } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, isAlive, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { operatorHeaders } from './operator-headers.ts'
import { databasePid, startHubProcess, type HubProcess } from './start-hub-process.ts'
import { startTestHub, waitFor } from './start-test-hub.ts'
import { textOf, toolNames, WireClient } from './wire-client.ts'

let home: TemporaryHome
let scratch: Scratch

beforeEach(async () => {
  ;[home, scratch] = await Promise.all([createTemporaryHome(), createScratch()])
})

afterEach(() => Promise.all([home.remove(), scratch[Symbol.asyncDispose]()]))

const starts = (journal = 'journal') => readJournal(scratch.file(journal)).filter(({ event }) => event === 'started')

async function listTools(endpoint: URL): Promise<string[]> {
  return toolNames(await new WireClient(endpoint).requestModern('tools/list'))
}

async function callTool(endpoint: URL, name: string, args: Record<string, unknown> = {}): Promise<string> {
  return textOf(await new WireClient(endpoint).requestModern('tools/call', { name, arguments: args }))
}

test('a hub that starts again lists what it knew, and starts a process only for the first call', async () => {
  const place = { configHome: home.path, stateHome: join(home.path, 'state') }
  const lazy = scriptedConnector('lazy', scratch.file('journal'))
  const eager = scriptedConnector('eager', scratch.file('eager'), { options: { start: 'boot' } })
  let before: string[]
  {
    await using hub = await startTestHub({ ...place, connectors: [lazy, eager] })
    before = await listTools(hub.endpoint)
    expect(before).toEqual(expect.arrayContaining(['lazy__echo', 'eager__echo']))
  }
  expect([...starts(), ...starts('eager')].map(({ pid }) => isAlive(pid))).toEqual([false, false])
  await using again = await startTestHub(place)
  expect(await listTools(again.endpoint)).toEqual(before)
  await waitFor(() => (starts('eager').length === 2 ? true : undefined))
  expect(await again.health('lazy')).toMatchObject({ state: 'idle', processId: null, era: 'legacy' })
  expect(starts()).toHaveLength(1)
  expect(await callTool(again.endpoint, 'lazy__echo', { text: 'first call' })).toBe('first call')
  expect(starts()).toHaveLength(2)
})

test('a killed hub leaves no process behind, and the next one has everything and goes on', async () => {
  const stateHome = join(home.path, 'state')
  let names: string[]
  {
    const hub = await startHubProcess(home.path)
    await add(hub, scriptedConnector('scripted', scratch.file('journal'), { env: [{ name: 'API_KEY', value: 'k-1' }] }))
    await add(hub, scriptedConnector('second', scratch.file('second'), { enabled: false }))
    names = await listTools(hub.endpoint)
    const grandchild = Number(await callTool(hub.endpoint, 'scripted__spawn', { detached: false }))
    const servers = starts()
    // A call under way and a connector that was acknowledged a moment ago make it a moment as bad as any.
    const underWay = callTool(hub.endpoint, 'scripted__hold').catch((error: unknown) => error)
    await waitFor(() => readJournal(scratch.file('journal')).find(({ name }) => name === 'hold'))
    await add(hub, scriptedConnector('last', scratch.file('last'), { enabled: false }))
    await hub.kill()
    expect(await underWay).toBeInstanceOf(Error)
    await waitFor(() => ([grandchild, ...servers.map(({ pid }) => pid)].some(isAlive) ? undefined : true))
  }
  {
    await using hub = await startHubProcess(home.path)
    const { connectors } = (await (
      await fetch(`${hub.url}/api/connectors`, { headers: await operatorHeaders(stateHome) })
    ).json()) as { connectors: ConnectorView[] }
    expect(connectors.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['scripted', true],
      ['second', false],
      ['last', false],
    ])
    const changedAt = expect.any(String) as string
    expect(connectors[0]!.env).toEqual([{ name: 'API_KEY', secret: true, stored: true, changedAt }])
    expect(await listTools(hub.endpoint)).toEqual(names)
    expect(starts()).toHaveLength(1)
    expect(await callTool(hub.endpoint, 'scripted__echo', { text: 'on it goes' })).toBe('on it goes')
  }
  expect(databasePid(stateHome)).toBeUndefined()
  expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false, false])
})

async function add(hub: HubProcess, connector: ConnectorInput): Promise<void> {
  const response = await fetch(`${hub.url}/api/connectors`, {
    method: 'POST',
    headers: { ...(await operatorHeaders(join(home.path, 'state'))), 'content-type': 'application/json' },
    body: JSON.stringify(connector),
  })
  expect(response.status).toBe(201)
}
