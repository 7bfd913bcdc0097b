import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { waitFor } from './start-test-hub.ts'

const canary = randomBytes(16).toString('hex')
// Of a secret that was cut in half either half would still be one.
const traces = [canary.slice(0, 10), canary.slice(-10), Buffer.from(canary).toString('base64').slice(0, 13)]

let hub: WatchedHub
/** Everything that clients and people were told. */
const told: string[] = []

/** Commands that know the secret and behave in different ways. */
const commands = {
  quiet: `console.log('it has ' + process.env.API_TOKEN.length + ' characters')`,
  loud: `console.error('the token is ' + process.env.API_TOKEN); process.exit(3)`,
  wordy: `console.error('the token is ' + process.env.API_TOKEN); console.log('done')`,
  failing: `throw new Error('no access with ' + process.env.API_TOKEN)`,
  misfit: `console.log(process.env.API_TOKEN)`,
}
const tools = Object.entries(commands).map(([name, program]) => ({
  name,
  description: `A command that is ${name}.`,
  command: process.execPath,
  args: ['-e', program],
  env: { API_TOKEN: canary },
  timeout: 20,
  ...(name === 'misfit' && { outputSchema: { type: 'object' } }),
}))

beforeAll(async () => {
  hub = await startWatchedHub({ idleMs: 600_000 })
  // People write this file, and it stays as they wrote it: it is the only one that may have the secret.
  writeFileSync(join(hub.folder, 'custom_tools.json'), JSON.stringify({ tools }))
  mkdirSync(join(hub.folder, 'catalog'), { recursive: true })
  writeFileSync(join(hub.folder, 'catalog/noise.json'), '{ "schemaVersion": 1, "bad": true }')
  const connection = await new RawClient(`${hub.url}/mcp`).connect()
  await waitFor(async () => {
    const { text } = await connection.request('tools/list')
    return text.includes('"misfit"') ? told.push(text) : undefined
  })
  for (const { name } of tools) told.push((await connection.request('tools/call', { name })).text)
})

afterAll(() => hub?.[Symbol.asyncDispose]())

function expectNoTrace(text: string | Buffer, where: string): void {
  for (const trace of traces) expect(text.includes(trace), `${where} shows the secret`).toBe(false)
}

test('commands get the secret, and what they let out of it is masked', () => {
  expect(told.join()).toContain(`it has ${canary.length} characters`)
  expect(told.join()).toContain('the token is ••••')
  expect(told.join()).toContain('no access with ••••')
  told.forEach((text, index) => expectNoTrace(text, `answer ${index}`))
})

test('the secret is in no answer of the management API, and in no manifest', async () => {
  const reads = [
    'api/tools',
    'api/catalog/tools?all=true',
    'api/catalog/fragments',
    'api/catalog/cost',
    'api/catalog/intended',
    'api/catalog/live',
    'api/catalog/drift',
    'api/catalog/history',
    'api/catalog/findings',
    'api/catalog/search?query=token',
    'api/events?limit=1000',
    'api/status',
    'mcp/manifest.json',
    'metrics',
    ...tools.map(({ name }) => `api/catalog/tools/herma/${name}`),
  ]
  for (const path of reads) {
    const response = await fetch(`${hub.url}/${path}`, { headers: hub.operator })
    expect([path, response.status]).toEqual([path, 200])
    expectNoTrace(await response.text(), path)
  }
})

test('a file with the secret that is refused is refused without quoting it', async () => {
  writeFileSync(join(hub.folder, 'custom_tools.json'), JSON.stringify({ tools: [{ ...tools[0], timeout: canary }] }))
  const view = await waitFor(async () => {
    const text = await (await fetch(`${hub.url}/api/catalog/fragments`, { headers: hub.operator })).text()
    return text.includes('timeout') ? text : undefined
  })
  expectNoTrace(view, 'the fragment')
  writeFileSync(join(hub.folder, 'custom_tools.json'), '{ "tools": [] }')
})

test('the secret is in no file that the hub wrote, and in no line of its log', () => {
  let count = 0
  for (const entry of readdirSync(hub.folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile()) continue
    expectNoTrace(readFileSync(file), file)
    count++
  }
  expect(count).toBeGreaterThan(500)
  expectNoTrace(hub.log(), 'the log')
})
