import { randomBytes } from 'node:crypto'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatEvent, NewApiKey, SessionInput, ThreadPage } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../../packages/hub/src/platform/log.ts'
import { createTemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { dumpDatabase } from '../canary/dump-database.ts'
import { findInFiles } from '../canary/find-in-files.ts'
import { tracesOf } from '../canary/secret-traces.ts'
import { startParrot, type Parrot } from '../canary/start-parrot.ts'
import { startTestHub, waitFor, type TestHub } from '../start-test-hub.ts'
import { ChatClient } from './chat-client.ts'
import { obey, wishing } from './obedient-model.ts'
import { succeed } from './start-team-hub.ts'

let home: Awaited<ReturnType<typeof createTemporaryHome>>
let hub: TestHub
let llm: FakeLlm
let parrot: Parrot
let workspace: string
let chat: ChatClient
let log = ''

const secrets = { provider: invent('key'), bound: invent('bound'), told: invent('told') }

beforeAll(async () => {
  ;[home, llm, parrot] = await Promise.all([createTemporaryHome(), startFakeLlm({ script: obey }), startParrot()])
  workspace = await mkdtemp(join(tmpdir(), 'herma-test-chat-'))
  await openHub()
  await succeed(hub, 'PUT', '/api/secrets/OPENAI_API_KEY', { value: secrets.provider })
  await succeed(hub, 'PUT', '/api/secrets/BOUND', { value: secrets.bound })
  await succeed(hub, 'PUT', '/api/secrets/TOLD', { value: secrets.told })
  await hub.add({ name: 'parrot', transport: 'stream', baseUrl: parrot.url, endpointPath: '/stream' })
  const openai = { provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai'), workingDir: workspace } as const
  const sessions: SessionInput[] = [
    { name: 'talker', ...openai },
    { name: 'careful', ...openai, tools: { approval: 'writes' } },
  ]
  for (const session of sessions) await succeed(hub, 'POST', '/api/sessions', session)
  const headers = [{ name: 'X-Api-Key', value: '{secret:BOUND}' }]
  await succeed(hub, 'POST', '/api/bindings', { session: 'talker', connector: 'parrot', headers })
})
afterAll(async () => {
  await hub?.stop()
  await llm?.stop()
  await parrot?.[Symbol.asyncDispose]()
  await rm(workspace, { recursive: true, force: true })
  await home?.remove()
})

async function openHub(): Promise<void> {
  const stateHome = `${home.path}/state`
  hub = await startTestHub({ configHome: home.path, stateHome, log: createLog('debug', (line) => void (log += line)) })
  chat = new ChatClient(hub.url, 'talker', hub.operator)
}

function invent(place: string): string {
  return `sk-${place}-${randomBytes(12).toString('hex')}`
}

const kindsOf = (events: readonly ChatEvent[]) => [...new Set(events.map(({ type }) => type))]
const write = (path: string) => ({ name: 'write_file', arguments: { path, text: 'chat\n' } })
const inWorkspace = (path: string) => join(workspace, path)

test('a turn streams what happens, and the next one knows of it', async () => {
  const thread = await chat.begin()
  const events = await chat.say(
    thread,
    wishing('My name is Ada.', { text: 'Hello Ada.', toolCalls: [write('one.js')] }),
  )
  expect(kindsOf(events)).toEqual(['begin', 'tool-call', 'tool-result', 'text-delta', 'diff', 'done'])
  expect(events[0]).toMatchObject({ thread, route: 'openai' })
  expect(events.at(-1)).toMatchObject({ text: 'Hello Ada.', finish: 'stop', usage: { totalTokens: 30 } })
  expect(await readFile(inWorkspace('one.js'), 'utf8')).toBe('chat\n')
  await chat.say(thread, 'And now?')
  const said = llm.requests.at(-1)!.messages.map(({ text }) => text)
  expect(said.join('\n')).toMatch(/Ada[^]*Hello Ada\.[^]*And now\?/)
  const { messages, title, usage } = await chat.get(thread)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'])
  expect(title).toContain('My name is Ada.')
  expect(usage.totalTokens).toBe(45)
})

describe('a turn under way', () => {
  const slow = (file: string) =>
    wishing('Slowly.', { text: 'slow '.repeat(2000), chunkMs: 10, toolCalls: [write(file)] })

  test('goes on when its client leaves, is heard from its begin by another, and ends when it is cancelled', async () => {
    const thread = await chat.begin()
    const aborted = llm.aborted
    const leaving = new AbortController()
    const first = await fetch(`${hub.url}/api/sessions/talker/threads/${thread}/messages`, {
      method: 'POST',
      headers: { ...hub.operator, 'content-type': 'application/json' },
      body: JSON.stringify({ text: slow('cancelled.js') }),
      signal: leaving.signal,
    })
    await first.body!.getReader().read()
    leaving.abort()
    const second = new ChatClient(hub.url, 'talker', hub.operator)
    let isCancelled = false
    const heard = await second.follow(thread, ({ type }) => {
      if (type !== 'text-delta' || isCancelled) return
      isCancelled = true
      void chat.request('POST', `/threads/${thread}/cancel`)
    })
    expect(heard[0]).toMatchObject({ type: 'begin', thread })
    expect(kindsOf(heard)).toEqual(['begin', 'tool-call', 'tool-result', 'text-delta', 'error'])
    expect(heard.at(-1)).toMatchObject({ message: expect.stringContaining('cancelled') })
    await llm.until(() => llm.aborted > aborted)
    await expect(access(inWorkspace('cancelled.js'))).rejects.toThrow('ENOENT')
    expect((await chat.get(thread)).messages).toEqual([])
    expect((await chat.request('GET', `/threads/${thread}/events`)).status).toBe(204)
  })

  test('takes no second message, and ends with its thread', async () => {
    const thread = await chat.begin()
    const heard = chat.say(thread, slow('removed.js'))
    await waitFor(async () => ((await chat.get(thread)).isRunning ? true : undefined))
    const busy = await chat.request('POST', `/threads/${thread}/messages`, { text: 'Me too.' })
    expect(busy.status).toBe(409)
    expect((await chat.request('DELETE', `/threads/${thread}`)).status).toBe(204)
    expect((await heard).at(-1)).toMatchObject({ type: 'error' })
    expect((await chat.request('GET', `/threads/${thread}`)).status).toBe(404)
    await expect(access(inWorkspace('removed.js'))).rejects.toThrow('ENOENT')
  })
})

test('a failing provider is told as the last event, and nothing of the turn is kept', async () => {
  const thread = await chat.begin()
  llm.script = () => ({ status: 401 })
  const events = await chat.say(thread, 'Hello?')
  llm.script = obey
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'PROVIDER_UNAUTHORIZED' })
  expect((await chat.get(thread)).messages).toEqual([])
})

describe('an approval', () => {
  const ask = (file: string) => wishing('Ask.', { text: 'Asked.', toolCalls: [write(file)] })

  /** Says something and answers every approval that is wanted. */
  async function sayAnd(careful: ChatClient, thread: string, file: string, answer: string) {
    const answered: Promise<Response>[] = []
    const events = await careful.say(thread, ask(file), (event) => {
      if (event.type !== 'approval-wanted') return
      answered.push(careful.request('POST', `/approvals/${event.approval}`, { answer }))
    })
    const statuses = await Promise.all(answered.map(async (response) => (await response).status))
    return { events, statuses }
  }

  test('is given once, for a thread, or always; a refusal leaves everything as it is', async () => {
    const careful = new ChatClient(hub.url, 'careful', hub.operator)
    const thread = await careful.begin()
    const refused = await sayAnd(careful, thread, 'refused.js', 'refuse')
    expect(refused.statuses).toEqual([204])
    await expect(access(inWorkspace('refused.js'))).rejects.toThrow('ENOENT')
    expect((await sayAnd(careful, thread, 'once.js', 'once')).statuses).toEqual([204])
    expect(await readFile(inWorkspace('once.js'), 'utf8')).toBe('chat\n')
    expect((await sayAnd(careful, thread, 'thread.js', 'session')).statuses).toEqual([204])
    expect((await sayAnd(careful, thread, 'again.js', 'refuse')).statuses).toEqual([])
    expect(await readFile(inWorkspace('again.js'), 'utf8')).toBe('chat\n')
    const other = await careful.begin()
    expect((await sayAnd(careful, other, 'always.js', 'always')).statuses).toEqual([204])
    expect((await sayAnd(careful, await careful.begin(), 'ever.js', 'refuse')).statuses).toEqual([])
    expect(await readFile(inWorkspace('ever.js'), 'utf8')).toBe('chat\n')
  })
})

test('somebody else sees and touches none of it, and has threads of their own', async () => {
  const { key }: NewApiKey = await succeed(hub, 'POST', '/api/access/keys', {
    name: 'member',
    scopes: ['mcp', 'admin'],
  })
  const member = new ChatClient(hub.url, 'careful', { authorization: `Bearer ${key}` })
  const owner = new ChatClient(hub.url, 'careful', hub.operator)
  await succeed(hub, 'PATCH', '/api/sessions/careful', { tools: { approved: [] } })
  const thread = await owner.begin('Mine.')
  const stolen: number[] = []
  let isAsked = false
  const events = await owner.say(thread, wishing('Wait.', { toolCalls: [write('stolen.js')] }), (event) => {
    if (event.type !== 'approval-wanted' || isAsked) return
    isAsked = true
    void (async () => {
      const steal = async (method: string, path: string, body?: unknown) =>
        stolen.push((await member.request(method, path, body)).status)
      await steal('POST', `/approvals/${event.approval}`, { answer: 'once' })
      await steal('GET', `/threads/${thread}`)
      await steal('GET', `/threads/${thread}/events`)
      await steal('POST', `/threads/${thread}/messages`, { text: 'hi' })
      await steal('POST', `/threads/${thread}/cancel`)
      await steal('PATCH', `/threads/${thread}`, { title: 'Yours.' })
      await steal('DELETE', `/threads/${thread}`)
      await owner.request('POST', `/approvals/${event.approval}`, { answer: 'refuse' })
    })()
  })
  expect(stolen).toEqual([404, 404, 404, 404, 404, 404, 404])
  expect(events.at(-1)).toMatchObject({ type: 'done' })
  const page = async (of: ChatClient) => ((await (await of.request('GET', '/threads')).json()) as ThreadPage).threads
  expect(await page(member)).toEqual([])
  const own = await member.begin('Theirs.')
  expect((await page(member)).map(({ id, principal }) => [id, principal])).toEqual([[own, 'key:member']])
  expect((await page(owner)).map(({ id }) => id)).not.toContain(own)
  // The role of a member ends at the sessions themselves.
  expect((await member.request('PATCH', '', { instructions: 'Obey me.' })).status).toBe(403)
})

describe('secrets', () => {
  const formats = ['json', 'codex', 'claude', 'gemini', 'openai', 'openai-responses', 'otlp', 'har']
  const get = async (path: string) => (await fetch(hub.url + path, { headers: hub.operator })).text()

  test('of the provider, of a binding and of a person are in no thread, event, export, log or table', async () => {
    await succeed(hub, 'PATCH', '/api/traces/capture/session:talker', {
      level: 'bodies',
      sample: 1,
      maxBodyBytes: 1_048_576,
    })
    const thread = await chat.begin(`About ${secrets.told}`)
    const tools = ['say', 'fail', 'complain', 'report'].map((tool) => ({
      name: `parrot__${tool}`,
      arguments: { note: secrets.told },
    }))
    const words = `I tell you ${secrets.told} and ${secrets.provider}.`
    await chat.say(thread, wishing(words, { text: 'They said:', toolCalls: tools }))
    await chat.say(thread, words)
    llm.script = () => ({ status: 500 })
    await chat.say(thread, words)
    llm.script = () => ({ status: 401 })
    await chat.say(thread, words)
    llm.script = obey
    // They were where they are needed.
    expect(parrot.heard).toContain(secrets.bound)
    expect(llm.requests.at(-1)!.headers['authorization']).toBe(`Bearer ${secrets.provider}`)
    await waitFor(async () =>
      /turn\.finished[^]*step\.finished|step\.finished[^]*turn\.finished/.test(
        await get(`/api/traces?thread=${thread}`),
      )
        ? true
        : undefined,
    )
    const places = new Map([['the log', log]])
    for (const path of [
      `/api/sessions/talker/threads/${thread}`,
      '/api/sessions/talker/threads',
      '/api/sessions',
      '/api/bindings',
      '/api/sessions/talker',
      '/api/sessions/talker/bindings',
      '/api/secrets',
      '/api/events?limit=1000',
      '/api/traces?limit=1000',
      '/api/audit?limit=1000',
      '/metrics',
      ...formats.map((format) => `/api/traces/download?format=${format}&limit=1000`),
    ])
      places.set(path, await get(path))
    expect(places.get(`/api/sessions/talker/threads/${thread}`)).toContain('••••')
    for (const [table, rows] of await dumpDatabase(`${home.path}/state`)) places.set(`the table ${table}`, rows)
    for (const [where, text] of places)
      for (const [whose, secret] of Object.entries(secrets))
        for (const trace of tracesOf(secret)) expect(text.includes(trace), `${where} shows ${whose}`).toBe(false)
    expect(findInFiles(home.path, Object.values(secrets).flatMap(tracesOf))).toEqual([])
  })
})

test('threads outlive the hub; a turn that it interrupts is not kept', async () => {
  const thread = await chat.begin('Kept.')
  await chat.say(thread, wishing('Remember 1815.', { text: 'I will.' }))
  const before = await chat.get(thread)
  const slow = wishing('Slowly.', { text: 'slow '.repeat(2000), chunkMs: 10 })
  const interrupted = chat.say(thread, slow).catch((error: unknown) => error)
  await waitFor(async () => ((await chat.get(thread)).isRunning ? true : undefined))
  await hub.stop()
  await interrupted
  await openHub()
  expect(await chat.get(thread)).toEqual(before)
  await chat.say(thread, 'What was it?')
  expect(JSON.stringify(llm.requests.at(-1)!.messages)).toContain('Remember 1815.')
})
