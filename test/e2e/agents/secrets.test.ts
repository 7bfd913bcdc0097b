import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SessionInput } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../packages/hub/src/platform/log.ts'
import { createTemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, type Scratch } from '../../fixtures/scripted-connector.ts'
import { dumpDatabase } from '../canary/dump-database.ts'
import { findInFiles } from '../canary/find-in-files.ts'
import { tracesOf } from '../canary/secret-traces.ts'
import { startTestHub, waitFor, type TestHub } from '../start-test-hub.ts'
import { ChatClient } from './chat-client.ts'
import { succeed } from './start-team-hub.ts'

// Providers that repeat in their errors all that they were sent, as some do, and an agent that prints its key when it
// fails. Keys do not look like keys, so that only who knows them can mask them.

const kinds = ['openai', 'anthropic', 'google', 'openai-compatible', 'command'] as const
const keys = Object.fromEntries(kinds.map((kind) => [kind, randomBytes(16).toString('hex')]))
const nameOf = (kind: string) => `KEY_${kind.replace('-', '_').toUpperCase()}`
const formats = ['json', 'codex', 'claude', 'gemini', 'openai', 'openai-responses', 'otlp', 'har']

let home: Awaited<ReturnType<typeof createTemporaryHome>>
let scratch: Scratch
let hub: TestHub
let provider: Server
const heard: { url: string; headers: string }[] = []
let log = ''

beforeAll(async () => {
  ;[home, scratch, provider] = await Promise.all([createTemporaryHome(), createScratch(), startParroting()])
  const stateHome = `${home.path}/state`
  hub = await startTestHub({ configHome: home.path, stateHome, log: createLog('debug', (line) => void (log += line)) })
  const agent = scratch.file('agent')
  // It waits for as long as a file is there, so that somebody can look at it.
  const waits = `while [ -e ${scratch.file('wait')} ]; do sleep 0.1; done`
  await writeFile(
    agent,
    `#!/bin/sh\necho $$ > ${scratch.file('pid')}\n${waits}\necho "my key is $AGENT_KEY" >&2\nexit 3\n`,
  )
  await chmod(agent, 0o755)
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  for (const kind of kinds) {
    await succeed(hub, 'PUT', `/api/secrets/${nameOf(kind)}`, { value: keys[kind] })
    const session: SessionInput =
      kind === 'command'
        ? {
            name: kind,
            provider: kind,
            command: { dialect: 'codex', cmd: agent, env: { AGENT_KEY: `{secret:${nameOf(kind)}}` } },
          }
        : { name: kind, provider: kind, model: 'x', baseUrl: `${url}/${kind}`, keySecret: nameOf(kind) }
    await succeed(hub, 'POST', '/api/sessions', session)
    const capture = { level: 'bodies', sample: 1, maxBodyBytes: 1_048_576 }
    await succeed(hub, 'PATCH', `/api/traces/capture/session:${kind}`, capture)
  }
  const members = kinds.map((session) => ({ session, role: 'planner' }))
  await succeed(hub, 'POST', '/api/teams', { name: 'alpha', members })
})
afterAll(async () => {
  await hub?.stop()
  await home?.remove()
  await scratch?.[Symbol.asyncDispose]()
  provider?.close()
})

async function startParroting(): Promise<Server> {
  const statuses = [400, 401, 403, 404, 422]
  const server = createServer((request, response) => {
    const headers = JSON.stringify(request.headers)
    heard.push({ url: request.url!, headers })
    const text = `You sent ${headers} to ${request.url}`
    const body = { error: { message: text, type: 'invalid_request_error', code: text, status: text } }
    response.writeHead(statuses[heard.length % statuses.length]!, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const post = async (path: string, body: unknown) => {
  const headers = { ...hub.operator, 'content-type': 'application/json' }
  return (await fetch(hub.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text()
}
const get = async (path: string) => (await fetch(hub.url + path, { headers: hub.operator })).text()
const callTool = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

function expectNoKey(where: string, text: string): void {
  for (const [whose, key] of Object.entries(keys))
    for (const trace of tracesOf(key)) expect(text.includes(trace), `${where} shows the key of ${whose}`).toBe(false)
}

test('a key that its provider repeats is in no answer, log, event, export, thread, table or file', async () => {
  const places = new Map<string, string>()
  for (const kind of kinds) {
    const server = `/api/mcp/sessions/${kind}/rpc`
    places.set(`${kind} over MCP`, await post(server, callTool('code.advice', { question: 'Who?' })))
    places.set(`the test of ${kind}`, await post(`/api/sessions/${kind}/test`, {}))
    const chat = new ChatClient(hub.url, kind, hub.operator)
    const thread = await chat.begin()
    places.set(`a talk with ${kind}`, JSON.stringify(await chat.say(thread, 'Who are you?')))
    places.set(`the thread of ${kind}`, JSON.stringify(await chat.get(thread)))
    const messages = [{ role: 'user', content: 'Who?' }]
    for (const stream of [false, true])
      places.set(
        `${kind} as OpenAI, ${stream}`,
        await post(`/v1/sessions/${kind}/chat/completions`, { model: kind, messages, stream }),
      )
    places.set(`${kind}'s responses`, await post(`/v1/sessions/${kind}/responses`, { model: kind, input: 'Who?' }))
  }
  places.set('the team', await post('/api/mcp/servers/alpha/rpc', callTool('team.plan_task', { goal: 'Tell me.' })))
  // They were where they are needed, in headers and never in an address.
  for (const kind of kinds.slice(0, -1)) {
    const sent = heard.filter(({ url }) => url.startsWith(`/${kind}/`))
    expect(sent.length, kind).toBeGreaterThan(4)
    for (const { headers } of sent) expect(headers).toContain(keys[kind])
  }
  expectNoKey('an address', heard.map(({ url }) => url).join('\n'))
  expect(places.get('openai over MCP')).toContain('You sent')
  expect(places.get('command over MCP')).toContain('my key is')
  await waitFor(async () => ((await get('/api/traces?kind=team.routed')).includes('team.plan_task') ? true : undefined))
  for (const path of [
    ...kinds.map((kind) => `/api/sessions/${kind}`),
    ...['sessions', 'teams', 'teams/alpha', 'teams/alpha/decisions', 'teams/alpha/calls', 'secrets', 'servers'].map(
      (name) => `/api/${name}`,
    ),
    '/api/events?limit=1000',
    '/api/traces?limit=1000',
    '/api/audit?limit=1000',
    '/metrics',
    ...formats.map((format) => `/api/traces/download?format=${format}&limit=1000`),
  ])
    places.set(path, await get(path))
  places.set('the log', log)
  for (const [table, rows] of await dumpDatabase(`${home.path}/state`)) places.set(`the table ${table}`, rows)
  for (const [where, text] of places) expectNoKey(where, text)
  expect(findInFiles(home.path, Object.values(keys).flatMap(tracesOf))).toEqual([])
})

test.skipIf(!existsSync('/proc/self/cmdline'))('the key of an agent is in no list of processes', async () => {
  await writeFile(scratch.file('wait'), '')
  await writeFile(scratch.file('pid'), '')
  const asked = post('/api/mcp/sessions/command/rpc', callTool('code.advice', { question: 'Who?' }))
  const pid = await waitFor(() => Number(readFileSync(scratch.file('pid'), 'utf8')) || undefined)
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(keys['command'])
  expectNoKey('the list of processes', listProcesses())
  await rm(scratch.file('wait'))
  await asked
})

function listProcesses(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => ['cmdline', 'comm'].map((name) => readIfThere(`/proc/${pid}/${name}`)).join(' ')).join('\n')
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A process may end while it is looked at.
    return ''
  }
}
