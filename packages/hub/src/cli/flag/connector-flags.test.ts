import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { captureTerminal } from '../capture-terminal.ts'
import { readConnectorFlags, readPlace } from './connector-flags.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-flags-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a URL is Streamable HTTP and words after -- are a command', () => {
  expect(readPlace('https://a.example/mcp', [])).toEqual({ transport: 'stream', baseUrl: 'https://a.example/mcp' })
  expect(readPlace(undefined, ['npx', '-y', 'x'])).toEqual({ transport: 'stdio', cmd: 'npx', args: ['-y', 'x'] })
})

test('a relative path in a command brings the folder that it is relative to', () => {
  expect(readPlace(undefined, ['node', './package.json'])).toMatchObject({ workingDir: process.cwd() })
  expect(readPlace(undefined, ['node', './no-such-file'])).not.toHaveProperty('workingDir')
  expect(readPlace(undefined, ['node', folder])).not.toHaveProperty('workingDir')
})

test('what is neither a URL nor after -- is explained', () => {
  expect(() => readPlace('npx', [])).toThrow(/put -- before it/)
  expect(() => readPlace('https://a.example', ['npx'])).toThrow(/not both/)
})

test('headers are taken as K=V and as curl writes them, and the last of a name counts', async () => {
  const header = ['X-A=1', 'Authorization: Basic abc=', 'x-a=2']
  const { headers } = await readConnectorFlags({ header }, captureTerminal().terminal)
  expect(headers).toEqual([
    { name: 'x-a', value: '2' },
    { name: 'Authorization', value: 'Basic abc=' },
  ])
})

test('a value from a file or standard input is a secret and loses its last line break', async () => {
  const file = join(folder, 'token')
  await writeFile(file, 'from file\n')
  const { terminal } = captureTerminal({ input: 'from input\n' })
  const { env } = await readConnectorFlags({ env: [`A=@${file}`, 'B=@-', 'C=@@at', 'c='] }, terminal)
  expect(env).toEqual([
    { name: 'A', value: 'from file', secret: true },
    { name: 'B', value: 'from input', secret: true },
    { name: 'C', value: '@at' },
    { name: 'c', value: '' },
  ])
})

test('an error about a value names its flag and never the value', async () => {
  const { terminal } = captureTerminal()
  await expect(readConnectorFlags({ env: ['TOKEN=@/no/such/file'] }, terminal)).rejects.toThrow(/--env TOKEN/)
  await expect(readConnectorFlags({ header: ['hunter2'] }, terminal)).rejects.not.toThrow(/hunter2/)
})

test('options keep their type, and none stands for an empty prefix', async () => {
  const option = ['idleTimeoutMs=0', 'start=boot', 'prefix=42']
  const { fields } = await readConnectorFlags({ option }, captureTerminal().terminal)
  expect(fields).toEqual({ options: { idleTimeoutMs: 0, start: 'boot', prefix: '42' } })
  const { fields: none } = await readConnectorFlags({ prefix: 'none' }, captureTerminal().terminal)
  expect(none).toEqual({ options: { prefix: '' } })
})

test('settings of a sign-in are read like headers, and an empty one clears', async () => {
  const file = join(folder, 'client-secret')
  await writeFile(file, 'from file\n')
  const oauth = ['clientId=herma', `clientSecret=@${file}`, 'scope=']
  const { fields } = await readConnectorFlags({ oauth }, captureTerminal().terminal)
  expect(fields).toEqual({ oauth: { clientId: 'herma', clientSecret: 'from file', scope: null } })
})
