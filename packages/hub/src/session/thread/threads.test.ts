import { HubError, SessionInput, type ChatEvent, type Principal } from '@herma/contract'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { operator, type WorkContext } from '../../wire/index.ts'
import { SessionStore, type StoredSession } from '../store.ts'
import type { WorkRequest, WorkResult } from '../work/types.ts'
import { ThreadStore } from './store.ts'
import { Threads } from './threads.ts'

const somebody: Principal = { ...operator, id: 'user:ann', kind: 'user', name: 'ann', role: 'member' }
const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0, totalTokens: 5 }

let opened: TestStore
let session: StoredSession
let store: ThreadStore

beforeAll(async () => {
  opened = await openTestStore()
  session = await new SessionStore(opened.store.db).insert(
    SessionInput.parse({ name: 'coder', provider: 'openai', model: 'm' }),
  )
  store = new ThreadStore(opened.store.db)
})
afterAll(() => opened.close())

type Work = (request: WorkRequest) => Promise<Partial<WorkResult>>

function openManager(work: Work, alwaysApproved: string[] = []) {
  return new Threads({
    store,
    session: () => session,
    require: () => undefined,
    workContextFor: (principal, _, signal) => ({ principal, signal, traceId: 'a'.repeat(32) }) as WorkContext,
    work: async (request) => {
      request.onBegin?.('openai')
      return { ...plainResult, ...(await work(request)) }
    },
    approveAlways: async (_, tool) => void alwaysApproved.push(tool),
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '••••')),
    onChange: () => undefined,
  })
}

const plainResult = {
  text: 'ok',
  messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'ok', providerData: { openai: { id: 'x' } } }] }],
  usage,
  costUsd: 0.25,
  finish: 'stop',
  diff: null,
  changes: [],
  whyNotCommitted: null,
} as unknown as WorkResult

async function say(threads: Threads, thread: string, text: string, who = operator): Promise<ChatEvent[]> {
  return listenTo(await threads.say('coder', who, thread, { text }))
}

function listenTo(turn: { listen(listener: (event: ChatEvent) => void): () => void }): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  return new Promise((resolve) => {
    turn.listen((event) => {
      events.push(event)
      if (event.type === 'done' || event.type === 'error') resolve(events)
    })
  })
}

test('a turn is kept whole, given back to the model, and counted', async () => {
  const seen: number[] = []
  const threads = openManager(async ({ messages }) => {
    seen.push(messages.length)
    return {}
  })
  const { id } = await threads.create('coder', operator, { title: '' })
  expect((await say(threads, id, 'My password is hunter2.\nSecond line.')).at(-1)).toMatchObject({
    type: 'done',
    costUsd: 0.25,
  })
  const [begin] = await say(threads, id, 'and now?')
  expect(begin).toMatchObject({ type: 'begin', said: 'and now?' })
  expect(await threads.totals(operator)).toEqual([
    { session: 'coder', threads: 1, lastAt: expect.any(String), totalTokens: 10, costUsd: 0.5 },
  ])
  expect(await threads.totals(somebody)).toEqual([])
  expect(seen).toEqual([1, 3])
  const thread = await threads.get('coder', operator, id)
  expect(thread).toMatchObject({ title: 'My password is ••••.', messageCount: 4, costUsd: 0.5, isRunning: false })
  expect(thread.usage).toEqual({ ...usage, inputTokens: 6, outputTokens: 4, totalTokens: 10 })
  expect(thread.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(JSON.stringify(thread)).not.toContain('hunter2')
  expect(JSON.stringify(thread)).not.toContain('providerData')
  expect(JSON.stringify(await store.history(id))).toContain('"openai":{"id":"x"}')
})

test('a turn that failed or was cancelled leaves the thread as it was', async () => {
  const threads = openManager(async ({ workContext, input }) => {
    if (input.text === 'fail') throw new HubError('PROVIDER_FAILED', 'no hunter2')
    return new Promise((_, reject) =>
      workContext.signal.addEventListener('abort', () => reject(workContext.signal.reason as Error), { once: true }),
    )
  })
  const { id } = await threads.create('coder', operator, { title: 'kept' })
  expect((await say(threads, id, 'fail')).at(-1)).toEqual({
    type: 'error',
    code: 'PROVIDER_FAILED',
    message: 'no ••••',
  })
  const turn = await threads.say('coder', operator, id, { text: 'wait' })
  expect((await threads.get('coder', operator, id)).isRunning).toBe(true)
  await expect(threads.say('coder', operator, id, { text: 'me too' })).rejects.toMatchObject({ code: 'THREAD_BUSY' })
  await threads.cancel('coder', operator, id)
  expect((await listenTo(turn)).at(-1)).toMatchObject({ type: 'error' })
  expect(await threads.get('coder', operator, id)).toMatchObject({ messageCount: 0, isRunning: false, title: 'kept' })
})

test('a turn that is cancelled before its work began does not begin it', async () => {
  let begun = 0
  const threads = openManager(async () => {
    begun += 1
    return {}
  })
  const { id } = await threads.create('coder', operator, { title: 'kept' })
  const turn = await threads.say('coder', operator, id, { text: 'never mind' })
  turn.cancel(new HubError('DOWNSTREAM_FAILED', 'The turn was cancelled.'))
  expect((await listenTo(turn)).at(-1)).toMatchObject({ type: 'error', code: 'DOWNSTREAM_FAILED' })
  expect(begun).toBe(0)
})

test('a thread is out of reach for everybody else', async () => {
  const threads = openManager(async () => ({}))
  const { id } = await threads.create('coder', operator, { title: 'mine' })
  const notFound = { code: 'THREAD_NOT_FOUND' }
  await expect(threads.get('coder', somebody, id)).rejects.toMatchObject(notFound)
  await expect(threads.say('coder', somebody, id, { text: 'x' })).rejects.toMatchObject(notFound)
  await expect(threads.remove('coder', somebody, id)).rejects.toMatchObject(notFound)
  await expect(threads.get('coder', operator, 'x')).rejects.toMatchObject(notFound)
  expect((await threads.list('coder', somebody, { limit: 10 })).threads).toEqual([])
})

test('of very many threads the oldest go, and those of others stay', async () => {
  const { db } = opened.store
  const threads = openManager(async () => ({}))
  const add = (who: Principal) => threads.create('coder', who, { title: 'many' })
  const [theirs, oldest] = [await add(somebody), await add(operator)]
  await db.execute(sql`update session_thread set updated_at = 'epoch' where title = 'many'`)
  await db.execute(sql`
    insert into session_thread (id, session_id, principal, title)
    select gen_random_uuid(), ${session.id}, ${operator.id}, 'many' from generate_series(1, 999)`)
  const newest = await add(operator)
  await expect(threads.get('coder', operator, oldest.id)).rejects.toMatchObject({ code: 'THREAD_NOT_FOUND' })
  expect(await threads.get('coder', operator, newest.id)).toMatchObject({ id: newest.id })
  expect(await threads.get('coder', somebody, theirs.id)).toMatchObject({ id: theirs.id })
  await db.execute(sql`delete from session_thread where title = 'many'`)
})

test('a person is asked once, for a thread, or for good; nobody answers for somebody else', async () => {
  const always: string[] = []
  const answers: string[] = []
  const threads = openManager(async ({ approve, workContext }) => {
    answers.push(await approve!({ id: 'c1', name: 'write', arguments: {} }, workContext.signal))
    return {}
  }, always)
  const { id } = await threads.create('coder', operator, { title: '' })
  const talk = async (answer: 'once' | 'session' | 'always' | 'refuse') => {
    const turn = await threads.say('coder', operator, id, { text: answer })
    turn.listen((event) => {
      if (event.type !== 'approval-wanted') return
      expect(() => threads.answer('coder', somebody, event.approval, { answer: 'once' })).toThrow('waits')
      threads.answer('coder', operator, event.approval, { answer })
    })
    const events = await listenTo(turn)
    return events.some(({ type }) => type === 'approval-wanted')
  }
  expect([await talk('refuse'), await talk('once'), await talk('always'), await talk('session')]).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(await talk('session')).toBe(false)
  expect(answers).toEqual(['refused', 'once', 'once', 'once', 'once'])
  expect(always).toEqual(['write'])
})

test('who comes late hears a turn from its begin, and pages go on where they ended', async () => {
  const gate = deferred()
  const threads = openManager(async ({ onEvent }) => {
    for (const text of ['a', 'b', 'c']) onEvent({ type: 'text-delta', text })
    await gate.promise
    return {}
  })
  const { id } = await threads.create('coder', somebody, { title: '1' })
  await threads.say('coder', somebody, id, { text: 'x' })
  const late = await threads.running('coder', somebody, id)
  const heard = listenTo(late!)
  gate.resolve()
  const events = await heard
  // In one piece or in several, as it came before or after the listener.
  expect(events.map((event) => ('text' in event ? event.text : '')).join('')).toBe('abcok')
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['begin', 'done'])
  for (const title of ['2', '3']) await threads.create('coder', somebody, { title })
  const first = await threads.list('coder', somebody, { limit: 2 })
  const second = await threads.list('coder', somebody, { limit: 2, cursor: first.next! })
  expect([...first.threads, ...second.threads].map(({ title }) => title).toSorted()).toEqual(['1', '2', '3'])
  expect(second.next).toBeNull()
})

function deferred() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
