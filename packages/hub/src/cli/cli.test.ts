import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { type ConnectorView, HubStatus } from '@herma/contract'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { type Hub, startHub } from '../hub.ts'
import { createLog } from '../platform/log.ts'
import { captureTerminal } from './capture-terminal.ts'
import { runCli } from './run-cli.ts'

let folder: string
let hub: Hub
let remote: Server
let remoteUrl: string
let seen: IncomingHttpHeaders = {}

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)

function createRemote(): McpServer {
  const server = new McpServer({ name: 'remote', version: '1.0.0' })
  server.registerTool(
    'echo',
    { description: 'Says it again.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  )
  return server
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-cli-'))
  // As root the database runs under another user, who must get into the folder.
  await chmod(folder, 0o755)
  const serve = toNodeHandler(createMcpHandler(createRemote))
  remote = createServer((request, response) => {
    seen = request.headers
    void serve(request, response)
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  remoteUrl = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`
  const homes = { configHome: join(folder, 'config'), stateHome: join(folder, 'state') }
  hub = await startHub({ host: '127.0.0.1', port: 0, ...homes, log: createLog('silent') })
})

afterAll(async () => {
  await hub.stop()
  remote.closeAllConnections()
  await new Promise((resolve) => remote.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

async function herma(words: string[], input?: string) {
  const { terminal, written } = captureTerminal({ input, env: { HERMA_STATE_HOME: join(folder, 'state') } })
  const exitCode = await runCli(words, terminal)
  return { exitCode, ...written }
}

async function hermaJson<Value>(words: string[], input?: string): Promise<Value> {
  return JSON.parse((await herma([...words, '--json'], input)).out) as Value
}

test('a server is added by its URL, tested, listed, called and removed', async () => {
  const added = await herma(['add', 'remote', remoteUrl, '--description', 'A test'])
  expect(added).toMatchObject({ exitCode: 0, out: "Added 'remote'. It offers 1 tool. List them: herma tools remote\n" })
  expect((await herma(['list'])).out).toMatch(/^NAME +STATE.*\nremote +\w+ +stream +1 +http/)
  expect((await herma(['tools', 'remote'])).out).toBe('remote__echo  Says it again.\n')
  expect((await herma(['call', 'remote__echo', '--json', '{"text":"hello"}'])).out).toBe('hello\n')
  expect(await herma(['remove', 'remote'])).toMatchObject({ exitCode: 0, out: "Removed 'remote'.\n" })
  expect(await herma(['show', 'remote'])).toMatchObject({ exitCode: 4, out: '' })
})

test('a secret is sent to the server, never shown, and survives the edit of another header', async () => {
  const value = 'Bearer hunter2'
  const added = await herma(
    ['add', 'guarded', remoteUrl, '--header', 'Authorization=@-', '--header', 'X-Team=a'],
    `${value}\n`,
  )
  expect(added.exitCode).toBe(0)
  const edited = await herma(['edit', 'guarded', '--header', 'X-Team=b', '--option', 'idleTimeoutMs=5000'])
  const shown = await herma(['show', 'guarded'])
  const json = await herma(['show', 'guarded', '--json'])
  for (const { out, error } of [added, edited, shown, json]) expect(out + error).not.toContain('hunter2')
  expect(shown.out).toContain('Authorization=(secret, stored)')
  expect(shown.out).toContain('X-Team=b')
  expect((await herma(['call', 'guarded__echo', '--json', '{"text":"x"}'])).exitCode).toBe(0)
  expect(seen).toMatchObject({ authorization: value, 'x-team': 'b' })
  await herma(['edit', 'guarded', '--remove-header', 'authorization'])
  await herma(['call', 'guarded__echo', '--json', '{"text":"x"}'])
  expect(seen).not.toHaveProperty('authorization')
  await herma(['remove', 'guarded'])
})

test('changing one option leaves the others as they were', async () => {
  await herma(['add', 'tuned', remoteUrl, '--no-test', '--option', 'maxRestarts=7', '--prefix', 'none'])
  await herma(['edit', 'tuned', '--option', 'start=boot'])
  await herma(['edit', 'tuned', '--json', '{"notes":"kept"}'])
  const { options, notes } = await hermaJson<ConnectorView>(['show', 'tuned'])
  expect({ ...options, notes }).toMatchObject({ maxRestarts: 7, prefix: '', start: 'boot', notes: 'kept' })
  await herma(['remove', 'tuned'])
})

test('a command after -- becomes a process that can be disabled and enabled', async () => {
  await writeFile(join(folder, 'value'), 'from a file')
  const words = ['add', 'local', '--env', `PLACE=@${join(folder, 'value')}`, '--', process.execPath, everything]
  expect((await herma(words)).out).toMatch(/Added 'local'.* It offers \d+ tools/)
  expect((await herma(['call', 'local__get-env'])).out).toContain('from a file')
  expect((await herma(['call', 'local__get-tiny-image'])).error).toContain('[image: image/png')
  expect(await herma(['disable', 'local', 'nobody'])).toMatchObject({ exitCode: 4, out: "Disabled 'local'.\n" })
  expect((await herma(['call', 'local__echo', '--json', '{"message":"x"}'])).exitCode).toBe(4)
  expect((await herma(['enable', 'local'])).exitCode).toBe(0)
  // The process starts again in the background.
  const call = async () => (await herma(['call', 'local__echo', '--json', '{"message":"x"}'])).out
  await expect.poll(call, { timeout: 20_000 }).toBe('Echo: x\n')
  expect((await herma(['logs', 'local', '-n', '5'])).exitCode).toBe(0)
  await herma(['remove', 'local'])
})

test('a server whose test fails is kept, and the way to mend it is shown', async () => {
  const { exitCode, out } = await herma(['add', 'broken', '--', join(folder, 'no-such-program')])
  expect(exitCode).toBe(5)
  expect(out).toContain('Its test failed')
  expect(out).toContain('Cause: ')
  expect(out).toContain('herma edit broken')
  const report = await hermaJson<{ ok: boolean }>(['test', 'broken'])
  expect(report.ok).toBe(false)
  expect((await herma(['test', 'broken'])).exitCode).toBe(5)
  await herma(['edit', 'broken', remoteUrl])
  expect(await herma(['test', 'broken', '--tool', 'echo', '--arguments', '{"text":"hi"}'])).toMatchObject({
    exitCode: 0,
  })
  await herma(['remove', 'broken'])
})

test("a client's configuration is imported, and one bad entry does not stop the others", async () => {
  const config = { mcpServers: { 'from file': { type: 'http', url: remoteUrl }, bad: { args: [] } } }
  const file = join(folder, 'mcp.json')
  await writeFile(file, `// written by hand\n${JSON.stringify(config)}`)
  const { exitCode, out } = await herma(['add', '--file', file])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^added +from-file +1 tool\. It is called 'from-file' here\./)
  expect(out).toMatch(/failed +bad +It has neither/)
  const again = await hermaJson<{ skipped: { name: string }[] }>(['add', '--file', '-'], JSON.stringify(config))
  expect(again.skipped.map(({ name }) => name)).toEqual(['from file'])
  await herma(['remove', 'from-file'])
})

test('bad values end with a usage error that names the field', async () => {
  const bad = await herma(['add', 'bad', remoteUrl, '--option', 'isolation=total', '--option', 'colour=red'])
  expect(bad.exitCode).toBe(2)
  expect(bad.error).toContain('options.isolation')
  expect(bad.error).toContain('options.colour')
  expect((await herma(['add', 'not a name', remoteUrl])).exitCode).toBe(2)
})

test('a name that is taken is refused', async () => {
  await herma(['add', 'twice', remoteUrl, '--no-test'])
  const { exitCode, error } = await herma(['add', 'twice', remoteUrl])
  expect({ exitCode, error }).toEqual({ exitCode: 1, error: expect.stringContaining('twice') })
  await herma(['remove', 'twice'])
})

test('status is for people and, as JSON, for programs', async () => {
  expect((await herma(['status'])).out).toContain(hub.url)
  const status = HubStatus.parse(await hermaJson(['status']))
  expect(status).toMatchObject({ endpoint: `${hub.url}/mcp`, processId: process.pid })
})

test('the hub is also found by its address, and every failure has its exit code', async () => {
  const { terminal, written } = captureTerminal()
  expect(await runCli(['list', '--json', '--hub', `${hub.url}/mcp`], terminal)).toBe(0)
  expect(JSON.parse(written.out)).toHaveProperty('connectors')
  const missing = await hermaJson<{ error: { code: string } }>(['logs', 'nobody'])
  expect(missing.error.code).toBe('CONNECTOR_NOT_FOUND')
  expect((await herma(['list', '--hub', 'nonsense'])).exitCode).toBe(2)
  expect((await herma(['lst'])).error).toContain('Did you mean')
})

test('what happened is told by the API', async () => {
  const token = await readFile(join(folder, 'state', 'operator-token'), 'utf8')
  const headers = { authorization: `Bearer ${token.trim()}` }
  await herma(['add', 'eventful', remoteUrl, '--no-test'])
  await herma(['remove', 'eventful'])
  await expect
    .poll(async () => {
      const response = await fetch(`${hub.url}/api/events?connector=eventful&limit=10`, { headers })
      const { events } = (await response.json()) as { events: { kind: string }[] }
      return events.map(({ kind }) => kind)
    })
    .toContain('connector.added')
})
