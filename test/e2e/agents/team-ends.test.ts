import { readdirSync, readFileSync } from 'node:fs'
import { access, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TeamView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../../fixtures/scripted-connector.ts'
import { waitFor } from '../start-test-hub.ts'
import { startTeamHub, succeed, type TeamHub } from './start-team-hub.ts'

// How calls of a team end that nobody lets finish: providers are really killed, clients really leave.

let place: TeamHub
let scratch: Scratch
let doomed: FakeLlm
const alpha = '/api/mcp/servers/alpha/stream'

beforeAll(async () => {
  ;[place, scratch, doomed] = await Promise.all([startTeamHub(), createScratch(), startFakeLlm()])
  const { hub, llm, addSession, addTeam } = place
  await hub.add(scriptedConnector('local', scratch.file('journal')))
  await addSession({ name: 'first', provider: 'openai', model: 'gpt-x', baseUrl: doomed.baseUrl('openai') })
  await addSession({ name: 'second', provider: 'anthropic', model: 'claude-x', baseUrl: llm.baseUrl('anthropic') })
  await succeed(hub, 'POST', '/api/bindings', { session: 'second', connector: 'local' })
  await addTeam({
    name: 'alpha',
    members: [
      { session: 'first', role: 'code', priority: 1 },
      { session: 'second', role: 'code', priority: 1 },
    ],
  })
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await doomed?.stop()
  await scratch?.[Symbol.asyncDispose]()
})

const inWorkspace = (path: string) => join(place.workspace, path)
const write = (path: string, text: string) => ({ name: 'write_file', arguments: { path, text } })

/** Nothing runs, nothing waits, and no commit is half-done. */
async function expectIdle(): Promise<void> {
  await waitFor(async () => {
    const { running, waiting }: TeamView = await succeed(place.hub, 'GET', '/api/teams/alpha')
    return running + waiting === 0 ? true : undefined
  })
  for (const folder of ['workspace-journal', 'working-copies', 'test-runs'])
    expect(await readdir(join(place.hub.stateHome, folder)).catch(() => []), folder).toEqual([])
}

test('a provider that is killed in the middle of its answer, and is gone then, loses the work to the next member', async () => {
  const { llm } = place
  doomed.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'slow '.repeat(5000), chunkMs: 20 }
      : { toolCalls: [write('src/lost.js', 'lost\n')] }
  llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool' ? { text: 'Mine.' } : { toolCalls: [write('src/kept.js', 'kept\n')] }
  const client = await place.connect(alpha, 'auto')
  const generate = () => client.callTool({ name: 'team.generate_code', arguments: { spec: 'Write.' } })
  const call = generate()
  await doomed.until(() => doomed.requests.at(-1)?.messages.at(-1)!.role === 'tool')
  await doomed.stop()
  const moved = await call
  expect(moved.structuredContent, JSON.stringify(moved)).toMatchObject({
    committed: true,
    changes: [{ path: 'src/kept.js' }],
    routing: {
      tried: [
        { session: 'first', outcome: 'PROVIDER_FAILED' },
        { session: 'second', outcome: 'ok' },
      ],
    },
  })
  await expect(access(inWorkspace('src/lost.js'))).rejects.toThrow('ENOENT')
  // It is tried twice more; after three failures its equals come first.
  const tried: unknown[] = []
  for (let count = 0; count < 3; count++) {
    const { routing } = (await generate()).structuredContent as { routing: { tried: { session: string }[] } }
    tried.push(routing.tried.map(({ session }) => session))
  }
  expect(tried).toEqual([['first', 'second'], ['first', 'second'], ['second']])
  await expectIdle()
})

test('a call that is cancelled while a server works for it is cancelled there, and writes nothing', async () => {
  place.llm.script = ({ tools }) => ({
    toolCalls: [
      write('src/cancelled.js', 'x\n'),
      { name: tools.find((name) => name.endsWith('hold'))!, arguments: {} },
    ],
  })
  const client = await place.connect(alpha, 'auto')
  const controller = new AbortController()
  const call = client
    .callTool(
      { name: 'team.generate_code', arguments: { spec: 'Hold.' } },
      { signal: controller.signal, onprogress: () => undefined },
    )
    .catch((error: unknown) => error)
  const journal = () => readJournal(scratch.file('journal'))
  const held = await waitFor(() => journal().find(({ event, name }) => event === 'call' && name === 'hold'))
  controller.abort()
  await call
  await waitFor(() => journal().find(({ event, requestId }) => event === 'cancelled' && requestId === held.id))
  await expectIdle()
  await expect(access(inWorkspace('src/cancelled.js'))).rejects.toThrow('ENOENT')
})

test('a call that is cancelled in the middle of its commit has written all files or none', async () => {
  const paths = Array.from({ length: 120 }, (_, index) => `many/${index % 7}/file-${index}.js`)
  let generation = 0
  place.llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'Written.' }
      : { toolCalls: paths.map((path) => write(path, `// ${generation}\n`)) }
  const client = await place.connect(alpha, 'auto')
  await mkdir(inWorkspace('many'))
  const found = async () => [...new Set(await Promise.all(paths.map((path) => readFile(inWorkspace(path), 'utf8'))))]
  const generate = (signal?: AbortSignal) =>
    client.callTool(
      { name: 'team.generate_code', arguments: { spec: 'Many.' } },
      signal === undefined ? {} : { signal },
    )
  expect((await generate()).structuredContent).toMatchObject({ committed: true })
  // From its first draft, from its first file, and from the last.
  const hasDrafts = () => readdirSync(inWorkspace('many/0')).some((name) => name.startsWith('.herma-stage'))
  const isNew = (path: string) => readFileSync(inWorkspace(path), 'utf8') === `// ${generation}\n`
  const signs = [hasDrafts, () => isNew(paths[0]!), () => isNew(paths.at(-1)!)]
  for (const hasBegun of signs) {
    const before = (await found())[0]!
    generation++
    const controller = new AbortController()
    const call = generate(controller.signal).catch((error: unknown) => error)
    while (!hasBegun()) await sleep(1)
    controller.abort()
    await call
    await expectIdle()
    const now = await found()
    expect([[before], [`// ${generation}\n`]]).toContainEqual(now)
    const names = await readdir(inWorkspace('many'), { recursive: true })
    expect(names.filter((name) => name.includes('.herma-stage'))).toEqual([])
  }
})
