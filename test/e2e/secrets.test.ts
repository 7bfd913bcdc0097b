import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { ConnectorView, GeneratedSecret, SecretKeysView, SecretView, TestReport } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { createLog } from '../../packages/hub/src/platform/log.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

const canary = `canary-${randomBytes(12).toString('hex')}`
const logged: string[] = []
let hub: TestHub
let server: Server
let seen: { url: string; authorization: string | undefined }[] = []

beforeAll(async () => {
  // It says back what it was told, as servers do in their errors.
  server = createServer((request, response) => {
    const { authorization } = request.headers
    seen.push({ url: request.url ?? '', authorization })
    void json(request).then((message) => {
      const error = { code: -32000, message: `no such key: ${authorization} at ${request.url}` }
      const body = JSON.stringify({ jsonrpc: '2.0', id: (message as { id?: number }).id, error })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub = await startTestHub({ log: createLog('debug', (line) => void logged.push(line)) })
})

afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

async function herma(args: string[], input?: string) {
  const { terminal, written } = captureTerminal({
    ...(input === undefined ? {} : { input }),
    env: { HERMA_STATE_HOME: hub.stateHome, HERMA_CONFIG_HOME: hub.stateHome },
  })
  const code = await runCli(args, terminal)
  return { code, ...written }
}

async function read<T>(path: string): Promise<T> {
  const { status, body } = await hub.api('GET', path)
  expect(status).toBe(200)
  return body as T
}

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a connector gets the value of a secret in headers and address, and another one as soon as it changes', async () => {
  await herma(['secret', 'set', 'TOKEN', '--description', 'for the test'], `${canary}\n`)
  await hub.add({
    name: 'echo',
    transport: 'stream',
    baseUrl: `${address()}/{secret:TOKEN}`,
    endpointPath: '/mcp?key={secret:TOKEN}',
    headers: [{ name: 'Authorization', value: 'Bearer {secret:TOKEN}' }],
    options: { maxRestarts: 0 },
  })
  expect(seen.at(-1)).toEqual({ url: `/${canary}/mcp?key=${canary}`, authorization: `Bearer ${canary}` })
  const next = `${canary}/next`
  seen = []
  expect((await hub.api('PUT', '/api/secrets/TOKEN', { value: next })).status).toBe(200)
  await waitFor(async () => seen.at(0))
  expect(seen[0]).toMatchObject({ url: expect.stringContaining('%2Fnext/mcp'), authorization: `Bearer ${next}` })
  const { secrets } = await read<{ secrets: SecretView[] }>('/api/secrets')
  expect(secrets).toMatchObject([{ name: 'TOKEN', description: 'for the test', usedBy: ['echo'], problem: null }])
})

test('a missing secret is the error of its connector alone, and goes away with it', async () => {
  const cmd = process.execPath
  const input = {
    name: 'lost',
    transport: 'stdio' as const,
    cmd,
    args: ['-e', '0'],
    env: [{ name: 'A', value: '{secret:LATER}' }],
  }
  const view = await hub.add({ ...input, options: { maxRestarts: 0 } })
  expect(view.health.lastError?.message).toMatch(/No secret is named 'LATER'\. Store it with: herma secret set LATER/)
  const { body } = await hub.api('POST', '/api/connectors/lost/test', {})
  expect(body as TestReport).toMatchObject({ ok: false, fix: 'Store it with: herma secret set LATER' })
  expect((await hub.api('POST', '/api/secrets/LATER/generate', {})).status).toBe(201)
  const healed = await waitFor(async () => {
    const { lastError } = await hub.health('lost')
    return lastError === null || !lastError.message.includes('LATER') ? true : undefined
  })
  expect(healed).toBe(true)
})

describe('the value of a secret', () => {
  test('is in one answer only, the one that generates it', async () => {
    const { body } = await hub.api('POST', '/api/secrets/MADE/generate', { description: 'made up' })
    const { value, ...view } = body as GeneratedSecret
    expect(Buffer.from(value, 'base64url')).toHaveLength(32)
    const { secrets } = await read<{ secrets: SecretView[] }>('/api/secrets')
    expect(secrets.find(({ name }) => name === 'MADE')).toEqual(view)
    expect((await hub.api('POST', '/api/secrets/MADE/generate', {})).status).toBe(409)
    const printed = await herma(['secret', 'generate', 'PRINTED', '--bytes', '16'])
    expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/^[\w-]{22}\n$/) })
    expect(printed.error).toContain('Copy it now')
  })

  test('is nowhere else: not in answers, logs, errors, and not in the list of processes', async () => {
    const paths = [
      'connectors',
      'connectors/echo',
      'connectors/echo/logs',
      'secrets',
      'secret-keys',
      'status',
      'events?limit=500',
    ]
    for (const path of paths) expect((await fetchText(`/api/${path}`)).includes(canary), path).toBe(false)
    const report = await hub.api('POST', '/api/connectors/echo/test', {})
    expect((report.body as TestReport).cause).toMatch(/no such key: •••• at \/••••\/mcp/)
    expect(JSON.stringify(report.body)).not.toContain(canary)
    expect(logged.join('')).not.toContain(canary)
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(canary)
    const refused = await hub.api('PUT', '/api/secrets/TOKEN', { value: [canary] })
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).not.toContain(canary)
  })

  async function fetchText(path: string): Promise<string> {
    return await (await fetch(hub.url + path, { headers: hub.operator })).text()
  }
})

test('a secret that is used is removed by force only', async () => {
  const refused = await hub.api('DELETE', '/api/secrets/TOKEN')
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'SECRET_IN_USE', message: /echo.*--force/ } } })
  expect(await herma(['secret', 'remove', 'TOKEN', '--force'])).toMatchObject({ code: 0 })
  expect((await hub.api('DELETE', '/api/secrets/TOKEN')).status).toBe(404)
  await waitFor(async () => ((await hub.health('echo')).lastError?.message.includes("'TOKEN'") ? true : undefined))
})

test('what a person gets wrong is said with the next step', async () => {
  for (const [args, input, message] of [
    [['set', 'X', 'value-in-clear'], '', /no place on the command line/],
    [['set', '1X'], 'value', /name: Use 1 to 64 letters/],
    [['set', 'X'], '\n', /Nothing was given/],
    [['set', 'NEW', '--keep-value'], '', /has no value and none is stored/],
    [['remove', 'NONE'], '', /No secret is named 'NONE'/],
    [['rotate', '--new-key-file', '/no/such/file'], '', /There is no key file/],
  ] as const) {
    const { code, error } = await herma(['secret', ...args], input)
    expect(code, args.join(' ')).not.toBe(0)
    expect(error).toMatch(message)
    expect(error).not.toContain('value-in-clear')
  }
})

test('a suspected secret in a plain field is stored with a warning', async () => {
  const token = `ghp_${randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')}`
  const added = await herma(['add', 'suspect', '--no-test', '--disabled', '--', 'node', '--api-key', token])
  expect(added).toMatchObject({
    code: 0,
    error: expect.stringMatching(/Warning: args\[1\]: .*herma edit suspect --store-secrets/),
  })
  const { warnings } = await read<ConnectorView>('/api/connectors/suspect')
  expect(warnings).toHaveLength(1)
  expect((await herma(['show', 'suspect'])).out).toMatch(/Warnings +args\[1\]/)
})

test('both keys are rotated while the hub serves, and a table shows when', async () => {
  const before = await read<SecretKeysView>('/api/secret-keys')
  const key = await readFile(join(hub.stateHome, 'key'))
  expect((await herma(['secret', 'rotate'])).out).toMatch(/Every value is sealed anew[^]*active/)
  expect((await herma(['secret', 'rotate', '--master'])).code).toBe(0)
  const after = JSON.parse((await herma(['secret', 'keys', '--json'])).out) as SecretKeysView
  expect(after.dataKeys.map(({ state }) => state)).toEqual(['retired', 'active'])
  expect(after.dataKeys[0]).toMatchObject({ id: before.dataKeys[0]!.id, retiredAt: expect.any(String) })
  expect(after.master.id).not.toBe(before.master.id)
  expect((await readFile(join(hub.stateHome, 'key'))).equals(key)).toBe(false)
  expect((await read<{ secrets: SecretView[] }>('/api/secrets')).secrets.every(({ problem }) => problem === null)).toBe(
    true,
  )
})
