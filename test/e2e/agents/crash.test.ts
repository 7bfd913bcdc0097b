import { readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SessionInput, TeamInput, TeamView } from '@herma/contract'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { findProcesses } from '../../fixtures/misbehaving/find-processes.ts'
import { createScratch, isAlive } from '../../fixtures/scripted-connector.ts'
import { operatorHeaders } from '../operator-headers.ts'
import { startHubProcess, type HubProcess } from '../start-hub-process.ts'
import { waitFor } from '../start-test-hub.ts'

const fileCount = 120
const paths = Array.from({ length: fileCount }, (_, index) => `src/${index % 7}/file-${index}.js`)
const fakeAgent = fileURLToPath(new URL('../../fixtures/fake-agent-cli/agent.mjs', import.meta.url))

/** A folder to work in, a model, and a hub that is killed again and again. */
async function openPlace() {
  const home = await createTemporaryHome()
  const scratch = await createScratch()
  const llm = await startFakeLlm()
  const workspace = scratch.file('workspace')
  await mkdir(join(workspace, 'src'), { recursive: true })
  await writeFile(join(workspace, 'package.json'), '{"type":"module","scripts":{"test":"node --test"}}')
  const agent = scratch.file('agent.mjs')
  await symlink(fakeAgent, agent)
  await writeFile(scratch.file('codex'), `#!/bin/sh\nexec ${process.execPath} ${agent} "$@"\n`)
  await chmod(scratch.file('codex'), 0o755)
  const close = async () => {
    await llm.stop()
    await scratch[Symbol.asyncDispose]()
    await home.remove()
  }
  return { folder: home.path, scratch, llm, workspace, agent, close }
}

let place: Awaited<ReturnType<typeof openPlace>>
let isBuilt = false
beforeAll(async () => {
  place = await openPlace()
})
afterAll(() => place?.close())

/** The hub of this place in a new process; the database is made but once, which takes longer than all the rest. */
async function startHub(): Promise<HubProcess> {
  const hub = await startHubProcess(place.folder)
  if (!isBuilt) await build(hub)
  isBuilt = true
  return hub
}

async function ask<Body>({ url }: HubProcess, method: string, path: string, body?: unknown): Promise<Body> {
  const headers = { ...(await operatorHeaders(`${place.folder}/state`)), 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return (await response.json()) as Body
}

async function build(hub: HubProcess): Promise<void> {
  const { llm, workspace, scratch } = place
  const sessions: SessionInput[] = [
    { name: 'coder', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai'), workingDir: workspace },
    {
      name: 'agent',
      provider: 'command',
      command: { dialect: 'codex', cmd: scratch.file('codex') },
      workingDir: workspace,
    },
  ]
  const team: TeamInput = {
    name: 'alpha',
    maxConcurrency: 3,
    members: [
      { session: 'coder', role: 'code' },
      { session: 'agent', role: 'planner' },
    ],
    dispatch: { enabled: true, allow: ['*'] },
  }
  await ask(hub, 'PUT', '/api/secrets/OPENAI_API_KEY', { value: 'sk-test-key' })
  for (const session of sessions) await ask(hub, 'POST', '/api/sessions', session)
  await ask(hub, 'POST', '/api/teams', team)
}

async function connect({ url }: HubProcess, path = '/api/mcp/servers/alpha/stream'): Promise<Client> {
  const client = new Client({ name: 'test-crash', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url)))
  return client
}

/** What a killed hub could have left behind, besides files of the workspace. */
async function leftovers() {
  const { folder, workspace, agent } = place
  const list = (name: string) => readdir(join(folder, 'state', name)).catch(() => [])
  const files = await readdir(workspace, { recursive: true, withFileTypes: true })
  return {
    journal: await list('workspace-journal'),
    copies: await list('working-copies'),
    testRuns: await list('test-runs'),
    agents: findProcesses(agent),
    files: files.filter((file) => !file.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  }
}

const nothing = { journal: [], copies: [], testRuns: [], agents: [] }

function speakSlowly(llm: FakeLlm): void {
  llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'slow '.repeat(5000), chunkMs: 20 }
      : { toolCalls: [{ name: 'write_file', arguments: { path: 'src/lost.js', text: 'lost' } }] }
}

test('a hub that is killed while model, agent and tests are at work leaves nothing of theirs', async () => {
  const { llm, workspace, scratch } = place
  const first = await startHub()
  const hang = `import test from 'node:test'\nimport { writeFileSync } from 'node:fs'\ntest('hangs', async () => { writeFileSync(${JSON.stringify(scratch.file('test.pid'))}, String(process.pid)); await new Promise((resolve) => setTimeout(resolve, 600000)) })\n`
  await writeFile(join(workspace, 'src/hang.test.js'), hang)
  const before = (await leftovers()).files
  speakSlowly(llm)
  const wish = { files: { 'src/lost.js': 'x' }, grandchild: scratch.file('grandchild.pid'), hang: true, isDeaf: true }
  const client = await connect(first)
  const dispatch = (target: string, tool: string, params: object) =>
    client.callTool({ name: 'team.dispatch', arguments: { target_session: target, tool, params } })
  const calls = [
    client.callTool({ name: 'team.generate_code', arguments: { spec: 'Slowly.' } }),
    dispatch('agent', 'code.generate', { spec: `Hang.\n#fake ${JSON.stringify(wish)}` }),
    dispatch('coder', 'tests.run', { paths: ['src/hang.test.js'] }),
    // It has to wait, since three are the limit.
    client.callTool({ name: 'team.generate_code', arguments: { spec: 'Later.' } }),
  ]
  const ends = calls.map((call) => call.catch((error: unknown) => error))
  const pidIn = (name: string) =>
    waitFor(async () => Number(await readFile(scratch.file(name), 'utf8').catch(() => '')) || undefined)
  const pids = [await pidIn('grandchild.pid'), await pidIn('test.pid')]
  await llm.until(() => llm.requests.at(-1)?.messages.at(-1)!.role === 'tool')
  await waitFor(async () => {
    const { running, waiting } = await ask<TeamView>(first, 'GET', '/api/teams/alpha')
    return running === 3 && waiting === 1 ? true : undefined
  })
  await first.kill()
  await Promise.all(ends)
  await client.close()

  const second = await startHub()
  await waitFor(() => (pids.some(isAlive) ? undefined : true))
  await waitFor(async () => ((await leftovers()).agents.length === 0 ? true : undefined))
  expect(await leftovers()).toEqual({ ...nothing, files: before })
  const team = await ask<TeamView>(second, 'GET', '/api/teams/alpha')
  expect([team.running, team.waiting]).toEqual([0, 0])
  llm.script = () => ({ text: 'Nothing to do.' })
  const again = await connect(second)
  const made = await again.callTool({ name: 'team.generate_code', arguments: { spec: 'Once more.' } })
  expect(made.structuredContent, JSON.stringify(made)).toMatchObject({ member: { session: 'coder' } })
  await again.close()
  await second[Symbol.asyncDispose]()
}, 240_000)

test('a hub that is killed in the middle of a commit leaves all of its files, or none', async () => {
  const { llm, workspace } = place
  let hub = await startHub()
  let generation = 0
  llm.script = ({ messages }) => {
    if (messages.at(-1)!.role === 'tool') return { text: 'Written.' }
    const text = `// ${generation}\n`.repeat(50)
    return { toolCalls: paths.map((path) => ({ name: 'write_file', arguments: { path, text } })) }
  }
  const generate = async () => {
    const client = await connect(hub)
    const result = await client
      .callTool({ name: 'team.generate_code', arguments: { spec: `Generation ${generation}.` } })
      .catch((error: unknown) => error)
    // The hub may be dead, and then nobody hears that the client leaves.
    await client.close().catch(() => undefined)
    return result
  }
  expect(await generate()).toMatchObject({ structuredContent: { committed: true } })
  const expected = (await leftovers()).files.toSorted()
  for (let round = 0; round < 2; round++) {
    const last = generationsIn(workspace)
    expect(last.size).toBe(1)
    generation++
    const watched = join(workspace, paths[Math.floor(Math.random() * fileCount)]!)
    const call = generate()
    // As soon as one file of the commit is there: nearly always some are new and some are old then.
    while (!readFileSync(watched, 'utf8').startsWith(`// ${generation}\n`)) await sleep(1)
    await hub.kill()
    await call
    hub = await startHub()
    const found = generationsIn(workspace)
    expect([[generation - 1], [generation]], `round ${round}`).toContainEqual([...found])
    const { files, ...rest } = await leftovers()
    expect(rest).toEqual(nothing)
    expect(files.toSorted()).toEqual(expected)
    generation = [...found][0]!
  }
  generation += 10
  expect(await generate()).toMatchObject({ structuredContent: { committed: true } })
  expect([...generationsIn(workspace)]).toEqual([generation])
  await hub[Symbol.asyncDispose]()
}, 240_000)

/** The generations of which there are files; a file that is torn counts as none. */
function generationsIn(workspace: string): Set<number> {
  return new Set(
    paths.map((path) => {
      const lines = new Set(readFileSync(join(workspace, path), 'utf8').trim().split('\n'))
      return lines.size === 1 ? Number([...lines][0]!.slice(3)) : Number.NaN
    }),
  )
}
