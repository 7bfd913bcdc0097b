import { afterEach, beforeEach, expect, test } from 'vitest'
import { inTurn } from '../turn/testing/test-turn.ts'
import { hadEffect } from './had-effect.ts'
import { runWork } from './run-work.ts'
import { askedClient, startBench, type WorkBench } from './testing/start-bench.ts'
import { addServer, done, lastResults, workRequest, write } from './testing/work-request.ts'
import type { WorkRequest } from './types.ts'

let bench: WorkBench

beforeEach(async () => {
  bench = await startBench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const request = (more: Partial<WorkRequest> = {}) => workRequest(bench, more)
const eventOf = (kind: string) => bench.events.find((event) => event.kind === kind)

test('tools of bound connectors and of the catalog are used under their policy', async () => {
  addServer(bench, { connector: 'git', name: 'push' })
  addServer(bench, { connector: 'gone' })
  bench.servers.delete('gone')
  bench.servers.set('catalog', [
    { descriptor: { name: 'fetch', inputSchema: { type: 'object' } }, run: () => ({ content: [] }) },
    { descriptor: { name: 'secret_tool', inputSchema: { type: 'object' } }, run: () => ({ content: [] }) },
  ])
  bench.llm.script = inTurn({ toolCalls: [{ name: 'git__push', arguments: {} }] }, done)
  const ask = request({ needs: 'none', session: bench.session({ tools: { catalog: true, deny: ['secret_*'] } }) })
  const result = await runWork(ask, bench.outside)
  expect(bench.llm.requests[0]!.tools).toEqual(['git__push', 'fetch'])
  expect(lastResults(bench)).toEqual(['used'])
  expect(result.hadEffect).toBe(true)
  expect(ask.told).toContainEqual({ type: 'warning', text: "The tools of 'gone' are missing: 'gone' did not start." })
})

test('a failure behind a tool with an effect says so, and one behind a read does not', async () => {
  addServer(bench, { connector: 'git', name: 'push' })
  addServer(bench, { connector: 'wiki', name: 'look', annotations: { readOnlyHint: true } })
  for (const [tool, expected] of [
    ['git__push', true],
    ['wiki__look', false],
  ] as const) {
    bench.llm.script = inTurn({ toolCalls: [{ name: tool, arguments: {} }] }, { status: 401 })
    const failed = await runWork(request({ needs: 'none' }), bench.outside).catch((error: unknown) => error)
    expect(hadEffect(failed)).toBe(expected)
  }
})

test('a tool is used when the client allows it, and refused when it does not or cannot be asked', async () => {
  addServer(bench, { connector: 'git', name: 'push' })
  const session = bench.session({ tools: { approval: 'writes' } })
  const run = async (workContext: WorkRequest['workContext']) => {
    bench.llm.script = inTurn({ toolCalls: [{ name: 'git__push', arguments: { force: true } }] }, done)
    await runWork(request({ session, workContext, needs: 'none' }), bench.outside)
    return lastResults(bench)[0]
  }
  const questions: unknown[] = []
  const client = (answer: object) =>
    askedClient({ elicitation: {} }, (question) => {
      questions.push(question)
      return { result: answer }
    })
  expect(await run(client({ action: 'accept', content: { allow: true } }))).toBe('used')
  expect(questions).toMatchObject([
    { method: 'elicitation/create', params: { message: expect.stringContaining('"force": true') as string } },
  ])
  const refused = "The user refused this call of 'git__push'. Do not repeat it; ask or go on without."
  expect(await run(client({ action: 'accept', content: { allow: false } }))).toBe(refused)
  expect(await run(client({ action: 'decline' }))).toBe(refused)
  expect(await run(bench.workContext())).toBe(
    "'git__push' needs an approval, and nobody can give one here. Do without it.",
  )
})

test('where changes need an approval, they are committed with it only', async () => {
  const session = bench.session({ tools: { approval: 'writes' } })
  const run = async (more: Partial<WorkRequest>) => {
    bench.llm.script = inTurn(write('a.txt', 'a'), done)
    return await runWork(request({ session, ...more }), bench.outside)
  }
  expect(await run({})).toMatchObject({
    committed: false,
    whyNotCommitted: 'changes need an approval, and nobody here can give one',
  })
  expect(await run({ approve: () => Promise.resolve('refused') })).toMatchObject({
    whyNotCommitted: 'the changes were refused',
  })
  expect(await bench.read('a.txt')).toBeNull()
  const calls: unknown[] = []
  const approve: WorkRequest['approve'] = (call) => {
    calls.push(call)
    return Promise.resolve('once')
  }
  expect(await run({ approve })).toMatchObject({ committed: true })
  expect(calls).toMatchObject([{ name: 'commit_changes', arguments: { files: ['a.txt'] } }])
  expect(await bench.read('a.txt')).toBe('a')
})

test('a rule sends work to a tool, whose failure says whether somebody else may be asked', async () => {
  const use = { connector: 'desk', tool: 'plan', arguments: { text: '{input}', cwd: '{cwd}' } }
  const routes = [{ abilities: ['code.generate' as const], use }]
  const seen: unknown[] = []
  let isError = false
  addServer(bench, {
    connector: 'desk',
    name: 'plan',
    run({ arguments: args, workContext }) {
      seen.push([args, workContext.spanId])
      return { content: [{ type: 'text', text: 'planned' }], isError }
    },
  })
  const ask = request({ session: bench.session({ provider: 'mcp', routes }) })
  expect(await runWork(ask, bench.outside)).toMatchObject({
    route: 'mcp:stdio',
    text: 'planned',
    hadEffect: true,
    steps: 0,
  })
  expect(seen).toEqual([[{ text: 'Go.' }, eventOf('turn.finished')!.spanId]])
  expect(eventOf('route.chosen')!.data).toMatchObject({ connector: 'desk', tool: 'plan' })
  isError = true
  const failed = await runWork(ask, bench.outside).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 'DOWNSTREAM_FAILED',
    hadEffect: true,
    message: "'plan' of 'desk' reported a failure: planned",
  })
  const denied = request({ session: bench.session({ provider: 'mcp', routes, tools: { deny: ['plan'] } }) })
  await expect(runWork(denied, bench.outside)).rejects.toMatchObject({ code: 'SESSION_UNREADY' })
  const asked = request({ session: bench.session({ provider: 'mcp', routes, tools: { approval: 'always' } }) })
  await expect(runWork(asked, bench.outside)).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test('a session without its key, and one whose client lends no model, say the next step', async () => {
  const anthropic = request({ session: bench.session({ provider: 'anthropic', baseUrl: null }) })
  await expect(runWork(anthropic, bench.outside)).rejects.toThrow('Store it with: herma secret set ANTHROPIC_API_KEY')
  const sampling = bench.session({ provider: 'sampling', model: '' })
  await expect(runWork(request({ session: sampling }), bench.outside)).rejects.toThrow('Call it over MCP.')
  const workContext = askedClient({ sampling: {} }, () => ({ result: {} }))
  await expect(runWork(request({ session: sampling, workContext }), bench.outside)).rejects.toThrow('without tools')
})

test('two turns at once are all that the session allows', async () => {
  let running = 0
  let most = 0
  const notes: string[] = []
  addServer(bench, {
    connector: 'slow',
    async run() {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return { content: [] }
    },
  })
  const session = bench.session({
    provider: 'mcp',
    limits: { maxConcurrency: 2 },
    routes: [{ abilities: ['code.generate'], use: { connector: 'slow', tool: 'tool', arguments: {} } }],
  })
  const workContext = bench.workContext({ progress: (_done, _total, message) => notes.push(message) })
  await Promise.all(Array.from({ length: 8 }, () => runWork(request({ session, workContext }), bench.outside)))
  expect(most).toBe(2)
  expect(notes).toContain("5 calls of 'ada' are before this one")
})
