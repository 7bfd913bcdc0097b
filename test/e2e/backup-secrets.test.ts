import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { dumpDatabase } from './canary/dump-database.ts'
import { tracesOf } from './canary/secret-traces.ts'

const canaries = Array.from({ length: 4 }, () => randomBytes(20).toString('hex'))
const [named = '', header = '', variable = '', clientSecret = ''] = canaries
let hub: WatchedHub

beforeAll(async () => {
  hub = await startWatchedHub({ idleMs: 600_000 })
  await hub.api('PUT', '/api/secrets/NAMED', { value: named })
  const sealed = { headers: [{ name: 'Authorization', value: `Bearer ${header}` }], enabled: false }
  const oauth = { clientId: 'me', clientSecret }
  const place = { transport: 'stream', baseUrl: 'https://a.example/mcp?key={secret:NAMED}' }
  await hub.api('POST', '/api/connectors', { name: 'remote', ...place, ...sealed, oauth })
  const env = [{ name: 'API_KEY', value: variable }]
  await hub.api('POST', '/api/connectors', { name: 'local', transport: 'stdio', cmd: 'true', env, enabled: false })
}, 120_000)

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]()
})

async function writeBackup() {
  const env = { HERMA_CONFIG_HOME: hub.folder, HERMA_STATE_HOME: join(hub.folder, 'state') }
  const { terminal, written } = captureTerminal({ env })
  const file = join(hub.folder, 'backup.json')
  await runCli(['backup', file], terminal)
  return { told: written.seen, text: await readFile(file, 'utf8') }
}

test('a backup holds no key, no secret, and no sealed value that a key beside it would open', async () => {
  const { told, text } = await writeBackup()
  expect(text).toContain('{secret:NAMED}')
  for (const trace of canaries.flatMap(tracesOf)) expect(text).not.toContain(trace)

  const key = await readFile(join(hub.folder, 'state/key'))
  const digits = key.toString('utf8').trim()
  for (const form of [digits, key.toString('hex'), key.toString('base64').replace(/=+$/, '')]) {
    expect(form.length).toBeGreaterThan(20)
    expect(text).not.toContain(form)
  }
  // Whatever is sealed is long and in base64: no such word of the tables is in the file.
  const tables = await dumpDatabase(join(hub.folder, 'state'))
  const sealed = [...tables.values()].flatMap((rows) => rows.match(/[\w+/-]{60,}/g) ?? [])
  expect(sealed.length).toBeGreaterThan(4)
  for (const value of sealed) expect(text).not.toContain(value)
  expect(text).not.toContain('"sealed"')
  expect(told).toContain('Keep the master key in another place than the database.')
})

test('what was written in clear into an argument is named, with the command that takes it out', async () => {
  const token = ['ghp', randomBytes(18).toString('hex')].join('_')
  const args = [`--token=${token}`]
  await hub.api('POST', '/api/connectors', { name: 'open', transport: 'stdio', cmd: 'true', args, enabled: false })
  const { told, text } = await writeBackup()
  expect(text).toContain(token)
  expect(told).toContain('open: args[0] looks like a secret in clear, and is in the file.')
  expect(told).not.toContain(token)
  await hub.api('PATCH', '/api/connectors/open?storeSecrets=true', {})
  const after = await writeBackup()
  expect(after.text).toContain('{secret:OPEN_TOKEN}')
  expect(after.text).not.toContain(token)
})
