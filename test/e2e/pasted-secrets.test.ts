import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ImportAnswer, PasteReport, SavedConnector, SecretView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { dumpDatabase } from './canary/dump-database.ts'
import { tracesOf } from './canary/secret-traces.ts'

const program = fileURLToPath(new URL('canary/parrot-stdio.mjs', import.meta.url))
const invented: string[] = []
const written: string[] = []
let hub: WatchedHub

beforeAll(async () => {
  hub = await startWatchedHub({ idleMs: 600_000 })
}, 120_000)

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]()
})

/** A token as GitHub makes them, which is one by its form. */
function inventToken(): string {
  const token = ['ghp', randomBytes(27).toString('base64').replaceAll(/[+/]/g, 'x')].join('_')
  invented.push(token)
  return token
}

/** Every answer is kept, and looked through in the end. */
async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await hub.api(method, path, body).catch((error: Error) => {
    written.push(error.message)
    throw error
  })
  written.push(JSON.stringify(answer))
  return answer as T
}

async function herma(words: string[], options: { input?: string; isTTY?: boolean } = {}): Promise<string> {
  const env = { HERMA_CONFIG_HOME: hub.folder, HERMA_STATE_HOME: join(hub.folder, 'state') }
  const { terminal, written: lines } = captureTerminal({ env, ...options })
  await runCli(words, terminal)
  written.push(lines.seen)
  return lines.seen
}

const secretNames = async () =>
  (await ask<{ secrets: SecretView[] }>('GET', '/api/secrets')).secrets.map(({ name }) => name)

const overStdio = (name: string, args: string[]): ConnectorInput => ({
  name,
  transport: 'stdio',
  cmd: process.execPath,
  args: [program, ...args],
})

test('a flag stores what looks like a secret by name, and the server gets the value', async () => {
  const [inArgs, inHeader] = [inventToken(), inventToken()]
  const added = await ask<SavedConnector>('POST', '/api/connectors?storeSecrets=true', {
    ...overStdio('flagged', [`--token=${inArgs}`]),
    env: [{ name: 'FLAGGED_KEY', value: inHeader }],
  })
  expect(added).toMatchObject({
    args: [program, '--token={secret:FLAGGED_TOKEN}'],
    storedSecrets: ['FLAGGED_TOKEN', 'FLAGGED_KEY'],
  })
  expect(added.warnings).toEqual([expect.stringContaining('in the list of processes')])
  const { secrets } = await ask<{ secrets: SecretView[] }>('GET', '/api/secrets')
  expect(secrets.find(({ name }) => name === 'FLAGGED_TOKEN')).toMatchObject({
    description: 'Of flagged: args[1]',
    usedBy: ['flagged'],
  })
  expect(await ask('POST', '/api/connectors/flagged/test')).toMatchObject({ ok: true })
})

test('parts of an address are stored as they are, and written into it again', async () => {
  const token = inventToken()
  const added = await ask<SavedConnector>('POST', '/api/connectors?storeSecrets=true', {
    name: 'address',
    transport: 'stream',
    baseUrl: `http://ada:${token}@127.0.0.1:9/mcp?api_key=${token}&x=1`,
    enabled: false,
  })
  expect(added).toMatchObject({
    baseUrl: 'http://ada:{secret:ADDRESS_PASSWORD}@127.0.0.1:9/mcp?api_key={secret:ADDRESS_PASSWORD}&x=1',
    storedSecrets: ['ADDRESS_PASSWORD'],
    warnings: [],
  })
})

test('nothing is left when the connector cannot be stored', async () => {
  const before = await secretNames()
  const again = { ...overStdio('flagged', ['--api-key', inventToken()]), enabled: false }
  await expect(ask('POST', '/api/connectors?storeSecrets=true', again)).rejects.toThrow('CONNECTOR_EXISTS')
  expect(await secretNames()).toEqual(before)
})

test('a secret that is there, or that something waits for, is never the one that is stored', async () => {
  await ask('PUT', '/api/secrets/TAKEN_TOKEN', { value: 'somebody-elses' })
  await ask('POST', '/api/connectors', { ...overStdio('waits', ['{secret:TAKEN_TOKEN_2}']), enabled: false })
  const taken = { ...overStdio('taken', ['--token', inventToken()]), enabled: false }
  const { storedSecrets } = await ask<SavedConnector>('POST', '/api/connectors?storeSecrets=true', taken)
  expect(storedSecrets).toEqual(['TAKEN_TOKEN_3'])
  const value = inventToken()
  const stored = await ask<SecretView>('POST', '/api/secrets', { name: 'TAKEN_TOKEN', value })
  expect(stored).toMatchObject({ name: 'TAKEN_TOKEN_4' })
})

test('an import stores the secrets of each server, and the reading of a paste names their places', async () => {
  const config = { mcpServers: { imported: { command: 'true', args: ['--token', inventToken()], disabled: true } } }
  const answer = await ask<ImportAnswer>('POST', '/api/import?storeSecrets=true', config)
  expect(answer).toMatchObject({ added: ['imported'], storedSecrets: ['IMPORTED_TOKEN'] })
  // What is pasted comes back to who pasted it, and goes nowhere else.
  const pasted = (await hub.api('POST', '/api/discovery/parse', {
    text: `npx server --token ${inventToken()}`,
  })) as PasteReport
  expect(pasted.warnings).toEqual([
    { name: 'server', text: expect.stringMatching(/^args\[3\]: this looks like a secret/) },
  ])
})

test('the command line warns with the command that stores it, which then does', async () => {
  const token = inventToken()
  const words = ['add', 'cli', '--no-test', '--disabled', '--', 'true', `--token=${token}`]
  // Without the flag it is in clear, as the answers of the hub say, and so it is not looked for.
  const open = captureTerminal({ env: { HERMA_CONFIG_HOME: hub.folder, HERMA_STATE_HOME: join(hub.folder, 'state') } })
  await runCli(words, open.terminal)
  expect(open.written.seen).toContain(
    'args[0]: this looks like a secret in clear. Store it by name with: herma edit cli --store-secrets',
  )
  expect(open.written.seen).not.toContain(token)
  expect(await herma(['edit', 'cli', '--store-secrets'])).toContain('Stored 1 secret by name: CLI_TOKEN')
  const flagged = await herma([
    'add',
    'cli2',
    '--no-test',
    '--disabled',
    '--store-secrets',
    '--',
    'true',
    '--token',
    inventToken(),
  ])
  expect(flagged).toContain('CLI2_TOKEN')
})

test('a person at a terminal is asked, and yes stores it', async () => {
  const words = ['add', 'asked', '--no-test', '--disabled', '--', 'true', '--token', inventToken()]
  const shown = await herma(words, { input: 'y\n', isTTY: true })
  expect(shown).toContain('asked: args[1] looks like a secret')
  expect(shown).toContain('ASKED_TOKEN')
  const file = join(hub.folder, 'client.json')
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { filed: { command: 'true', args: [`--token=${inventToken()}`] } } }),
  )
  const imported = await herma(['add', '--file', file, '--no-test'], { input: 'y\n', isTTY: true })
  writeFileSync(file, '')
  expect(imported).toContain('Stored 1 secret by name: FILED_TOKEN')
})

test('no value is in an answer, a line of a terminal, the log, an event or a table', async () => {
  for (const path of ['connectors', 'secrets', 'events?limit=1000', 'audit?limit=1000', 'traces?limit=1000', 'status'])
    await ask('GET', `/api/${path}`)
  const traces = invented.flatMap(tracesOf)
  const places = [...written.map((text, index) => [`answer ${index}`, text] as const), ['the log', hub.log()] as const]
  for (const [place, text] of [...places, ...(await dumpDatabase(join(hub.folder, 'state')))])
    for (const trace of traces) expect(text.includes(trace), `${place} shows ${trace}`).toBe(false)
})
