import { Ability } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTurn } from '../turn/testing/test-turn.ts'
import { startBench, type WorkBench } from '../work/testing/start-bench.ts'
import { sessionServerOf } from './session-server.ts'

let bench: WorkBench

beforeAll(async () => {
  bench = await startBench()
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
})

function serve() {
  const session = bench.session({ description: 'Knows all.' })
  return sessionServerOf(session, {
    hub: 'hub-1',
    offered: Ability.options,
    outside: bench.outside,
    current: () => session,
  })
}

function toolOf(name: Ability) {
  return serve().tools.find((tool) => tool.name === name)!
}

test('a session is a server with a tool for each ability, described for clients', () => {
  const server = serve()
  expect(server).toMatchObject({ name: 'session:ada', title: 'Session ada' })
  expect(server.instructions).toBe(
    `An agent session of Herma, with gpt-test (openai). Knows all. It works in ${bench.folder} unless told otherwise by cwd.`,
  )
  expect(server.tools.map(({ name }) => name)).toEqual(Ability.options)
  for (const { name, descriptor } of server.tools) {
    expect(descriptor).toMatchObject({
      name,
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: { type: 'object' },
    })
    expect(JSON.stringify(descriptor)).not.toContain('$schema')
  }
})

test('a failure is an answer that says what, why and the code; the path of the call goes on', async () => {
  bench.llm.script = inTurn({ status: 401 })
  const workContext = bench.workContext()
  const result = await toolOf('code.advice').run({ question: 'x' }, { workContext: () => workContext })
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^code.advice failed: .*herma secret set OPENAI_API_KEY/) as string }],
    _meta: { 'herma/error': { code: 'PROVIDER_UNAUTHORIZED', hadEffect: false } },
  })
})

test('a call that comes back to the session is refused with its path', async () => {
  const path = { requestId: 'r', entries: ['hub-1/session:ada', 'hub-2/team'] }
  const workContext = bench.workContext({ path })
  const result = await toolOf('code.advice').run({ question: 'x' }, { workContext: () => workContext })
  expect(result).toMatchObject({
    isError: true,
    _meta: { 'herma/error': { code: 'CALL_CYCLE', data: { path: [...path.entries, 'hub-1/session:ada'] } } },
  })
})

test('a tool of a server hears the path with this session in it', async () => {
  const paths: unknown[] = []
  bench.servers.set('desk', [
    {
      descriptor: { name: 'look', inputSchema: { type: 'object' } },
      run: ({ workContext }) => {
        paths.push(workContext.path.entries)
        return { content: [] }
      },
    },
  ])
  bench.bindings.push({ connector: 'desk', allowedTools: null })
  bench.llm.script = inTurn({ toolCalls: [{ name: 'desk__look', arguments: {} }] }, { text: 'Done.' })
  const workContext = bench.workContext()
  await toolOf('code.advice').run({ question: 'x' }, { workContext: () => workContext })
  expect(paths).toEqual([['hub-1/session:ada']])
})

test('a client that is gone gets no answer', async () => {
  const workContext = bench.workContext({ signal: AbortSignal.abort(new Error('gone')) })
  await expect(toolOf('code.advice').run({ question: 'x' }, { workContext: () => workContext })).rejects.toThrow('gone')
})
