import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { McpError } from '../protocol/errors.ts'
import { server } from '../server/app.ts'
import { connectClient } from '../server/testing/connect-client.ts'
import { memoryStore } from '../store/memory-store.ts'
import { startTask, tasks, type TasksOptions } from './tasks.ts'
import { ModernCaller } from './testing/modern-caller.ts'

const named = z.object({ name: z.string() })
const accept = (content: object) => ({ action: 'accept', content })

function makeApp(options: TasksOptions = {}) {
  return server({ name: 'worker', version: '1.0.0', timeoutMs: 50 })
    .plugin(tasks({ pollIntervalMs: 5, ...options }))
    .tool('greet', {}, () => 'Hello')
    .tool('slow', { task: 'allowed', input: z.object({ ms: z.number() }) }, async ({ ms }, { signal }) => {
      await sleep(ms, undefined, { signal })
      return 'done'
    })
    .tool('must', { task: 'required' }, () => 'done')
    .tool('broken', { task: 'required' }, () => {
      throw new McpError(-32_000, 'It broke.', { why: 'test' })
    })
    .tool('hopeless', { task: 'required', timeoutMs: 20 }, () => new Promise<never>(() => {}))
    .tool('ask', { task: 'required' }, async (_, context) => {
      const [first, second] = await Promise.all([
        context.elicit('first', { message: 'First?', schema: named }),
        context.elicit('second', { message: 'Second?', schema: named }),
      ])
      return `${first.action} ${second.action}`
    })
}

describe('a tool that may run as a task', () => {
  test('is a task for a client that declares the extension, beyond the timeout of requests', async () => {
    await using caller = new ModernCaller(makeApp())

    const created = await caller.call('slow', { ms: 120 })
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 5 })
    expect(created).not.toHaveProperty('result')

    const ended = await caller.until(created['taskId'], 'completed')
    expect(ended).toMatchObject({
      resultType: 'complete',
      taskId: created['taskId'],
      result: { content: [{ type: 'text', text: 'done' }] },
    })
  })

  test('is an ordinary call for a client without the extension, of either era', async () => {
    const app = makeApp()
    await using caller = new ModernCaller(app, { capabilities: {} })
    expect(await caller.call('slow', { ms: 1 })).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] })

    await using legacy = await connectClient(app, 'legacy')
    const answer = await legacy.client.callTool({ name: 'slow', arguments: { ms: 1 } })
    expect(answer.content).toEqual([{ type: 'text', text: 'done' }])
  })

  test('is refused with the missing capability when it must be a task', async () => {
    await using caller = new ModernCaller(makeApp(), { capabilities: {} })
    const error = {
      code: -32_021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    }
    expect(await caller.call('must')).toMatchObject({ error })
    expect(await caller.request('tasks/get', { taskId: 'any' })).toMatchObject({ error })
  })

  test('never is a task unless its definition says so', async () => {
    await using caller = new ModernCaller(makeApp())
    expect(await caller.call('greet')).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello' }] })
  })
})

describe('a task', () => {
  test('fails with the error of the protocol and completes with the error of a tool', async () => {
    await using caller = new ModernCaller(makeApp())

    const broken = await caller.call('broken')
    expect(await caller.until(broken['taskId'], 'failed')).toMatchObject({
      error: { code: -32_000, message: 'It broke.', data: { why: 'test' } },
    })
    const wrong = await caller.call('slow', { ms: 'many' })
    expect(await caller.until(wrong['taskId'], 'completed')).toMatchObject({ result: { isError: true } })
    const hopeless = await caller.call('hopeless')
    expect(await caller.until(hopeless['taskId'], 'completed')).toMatchObject({ result: { isError: true } })
  })

  test('parks its handler while questions are open, and takes the answers one by one', async () => {
    await using caller = new ModernCaller(makeApp())
    const { taskId } = await caller.call('ask')

    const asking = await caller.until(taskId, 'input_required')
    expect(asking['inputRequests']).toMatchObject({
      first: { method: 'elicitation/create', params: { message: 'First?' } },
      second: { method: 'elicitation/create', params: { message: 'Second?' } },
    })
    const late = { never: accept({}), first: accept({ name: 'Ada' }) }
    expect(await caller.request('tasks/update', { taskId, inputResponses: late })).toMatchObject({
      resultType: 'complete',
    })
    const rest = await caller.request('tasks/get', { taskId })
    expect(Object.keys(rest['inputRequests'] as object)).toEqual(['second'])

    await caller.request('tasks/update', { taskId, inputResponses: { second: { action: 'decline' } } })
    const ended = await caller.until(taskId, 'completed')
    expect(ended).toMatchObject({ result: { content: [{ text: 'accept decline' }] } })
    expect(ended).not.toHaveProperty('inputRequests')
  })

  test('never uses the key of a question twice', async () => {
    const app = server({ name: 'worker', version: '1.0.0' })
      .plugin(tasks())
      .tool('twice', { task: 'required' }, async (_, context) => {
        await context.elicit('name', { message: 'Name?', schema: named })
        await context.elicit('name', { message: 'Again?', schema: named })
      })
    await using caller = new ModernCaller(app)
    const { taskId } = await caller.call('twice')
    await caller.until(taskId, 'input_required')
    await caller.request('tasks/update', { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })
    const again = await caller.until(taskId, 'input_required')
    expect(Object.keys(again['inputRequests'] as object)).toEqual(['name#2'])
  })

  test('is cancelled with its signal, its open questions included', async () => {
    await using caller = new ModernCaller(makeApp())
    const slow = await caller.call('slow', { ms: 60_000 })
    const asking = await caller.call('ask')
    await caller.until(asking['taskId'], 'input_required')
    for (const { taskId } of [slow, asking]) {
      expect(await caller.request('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' })
      expect(await caller.until(taskId, 'cancelled')).toMatchObject({ status: 'cancelled' })
    }
  })

  test('outlives the client that started it and answers to its principal only', async () => {
    const app = makeApp()
    const ada = { id: 'ada', scopes: [] }
    const first = new ModernCaller(app, { principal: ada })
    const { taskId } = await first.call('slow', { ms: 20 })
    await first[Symbol.asyncDispose]()

    await using other = new ModernCaller(app, { principal: { id: 'bob', scopes: [] } })
    const unknown = { error: { code: -32_602 } }
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await other.request(method, { taskId })).toMatchObject(unknown)
    }
    await using second = new ModernCaller(app, { principal: ada })
    expect(await second.until(taskId, 'completed')).toMatchObject({ status: 'completed' })
  })

  test('is gone when its time is up, and its handler is told', async () => {
    const stopped = vi.fn<(...args: unknown[]) => void>()
    const app = server({ name: 'worker', version: '1.0.0' })
      .plugin(tasks({ ttlMs: 30 }))
      .tool('endless', { task: 'required' }, (_, { signal }) => {
        signal.addEventListener('abort', stopped)
        return new Promise<never>(() => {})
      })
    await using caller = new ModernCaller(app)
    const { taskId } = await caller.call('endless')
    expect(await caller.until(taskId, 'never')).toMatchObject({ error: { code: -32_602 } })
    expect(stopped).toHaveBeenCalledOnce()
  })

  test('shows progress as its status message', async () => {
    const app = server({ name: 'worker', version: '1.0.0' })
      .plugin(tasks())
      .tool('counting', { task: 'required' }, async (_, context) => {
        context.progress(1, 2, 'Half of it.')
        context.log.info('nobody hears this')
        await context.elicit('go', { message: 'Go on?', schema: named })
      })
    await using caller = new ModernCaller(app)
    const { taskId } = await caller.call('counting')
    expect(await caller.until(taskId, 'input_required')).toMatchObject({ statusMessage: 'Half of it.' })
    expect(caller.heard.filter((message) => 'method' in message)).toEqual([])
  })

  test('is refused when too many run', async () => {
    await using caller = new ModernCaller(makeApp({ maxTasks: 1 }))
    const { taskId } = await caller.call('slow', { ms: 60_000 })
    expect(await caller.call('must')).toMatchObject({ error: { code: -32_603 } })
    await caller.request('tasks/cancel', { taskId })
    await caller.until(taskId, 'cancelled')
    await vi.waitFor(async () => expect(await caller.call('must')).toMatchObject({ resultType: 'task' }))
  })

  test('is answered and cancelled through another process that shares the store', async () => {
    const store = memoryStore()
    await using owner = new ModernCaller(makeApp({ store }))
    await using other = new ModernCaller(makeApp({ store }))
    const asking = await owner.call('ask')
    const slow = await owner.call('slow', { ms: 60_000 })

    const { taskId } = asking
    expect(await other.until(taskId, 'input_required')).toHaveProperty('inputRequests.first')
    const inputResponses = { first: accept({ name: 'Ada' }), second: { action: 'decline' } }
    await other.request('tasks/update', { taskId, inputResponses })
    await other.request('tasks/cancel', { taskId: slow['taskId'] })
    expect(await other.until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'accept decline' }] } })
    expect(await other.until(slow['taskId'], 'cancelled')).toMatchObject({ status: 'cancelled' })
  })
})

test('a tool that another tool calls is part of its answer, not a task', async () => {
  const app = makeApp().tool('outer', {}, (_, context) => context.call('must'))
  await using caller = new ModernCaller(app)
  expect(await caller.call('outer')).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] })
})

test('a handler asks first and goes on as a task', async () => {
  const app = makeApp().tool('both', {}, async (_, context) => {
    const who = await context.elicit('who', { message: 'Who?', schema: named })
    if (who.action !== 'accept') return 'nobody'
    return startTask(context, async () => {
      await sleep(10)
      return `Hello, ${who.value.name}!`
    })
  })
  await using caller = new ModernCaller(app)
  const asked = await caller.call('both')
  expect(asked).toMatchObject({ resultType: 'input_required' })
  const created = await caller.request('tools/call', {
    name: 'both',
    arguments: {},
    inputResponses: { who: accept({ name: 'Ada' }) },
    requestState: asked['requestState'],
  })
  expect(created).toMatchObject({ resultType: 'task' })
  expect(created).not.toHaveProperty('requestState')
  const ended = await caller.until(created['taskId'], 'completed')
  expect(ended).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })

  await using plain = new ModernCaller(app, { capabilities: { elicitation: {} } })
  const again = await plain.call('both')
  const { requestState } = again
  const inputResponses = { who: accept({ name: 'Ada' }) }
  const answer = await plain.request('tools/call', { name: 'both', arguments: {}, inputResponses, requestState })
  expect(answer).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ada!' }] })
})
