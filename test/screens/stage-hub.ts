import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ThreadView } from '@herma/contract'
import type { FakeRequest, Reply } from '../fixtures/fake-llm/fake-llm.ts'
import { serverProgram, stdioConnector } from '../e2e/start-test-hub.ts'
import { startTeamHub, succeed, type TeamHub } from '../e2e/agents/start-team-hub.ts'

/** A hub as somebody has it who uses it every day: real servers, sessions on fake providers, a team, and calls of all. */
export async function stageHub(webFolder: string): Promise<TeamHub> {
  const place = await startTeamHub({ webFolder })
  place.llm.script = answer
  await addConnectors(place)
  await addSessions(place)
  await addTeam(place)
  await makeCalls(place)
  return place
}

async function addConnectors({ hub, workspace }: TeamHub): Promise<void> {
  await mkdir(join(workspace, 'notes'))
  await writeFile(join(workspace, 'notes', 'plan.md'), '# Plan\n\nShip the web UI.\n')
  await hub.add(
    stdioConnector('files', [serverProgram('filesystem'), workspace], { description: 'The project folder.' }),
  )
  await hub.add(
    stdioConnector('memory', [serverProgram('memory')], {
      description: 'What was learnt before.',
      env: [{ name: 'MEMORY_FILE_PATH', value: join(workspace, 'memory.jsonl') }],
    }),
  )
  await hub.add(
    stdioConnector('everything', [serverProgram('everything')], {
      description: 'Tools to try things out.',
      env: [
        { name: 'API_TOKEN', value: 'only-for-pictures', secret: true },
        { name: 'LOG_LEVEL', value: 'info' },
      ],
    }),
  )
  await hub.add({ name: 'warehouse', transport: 'stdio', cmd: 'uvx-of-nobody', args: ['mcp-server-sqlite'] })
  await hub.add({ name: 'wiki', transport: 'stdio', cmd: 'npx', args: ['-y', 'wiki-server'], enabled: false })
  for (const name of ['files', 'memory', 'everything', 'warehouse'])
    await hub.api('POST', `/api/connectors/${name}/test`, {})
}

async function addSessions({ llm, addSession, hub }: TeamHub): Promise<void> {
  await addSession({
    name: 'coder',
    description: 'Writes code.',
    provider: 'openai',
    model: 'gpt-5',
    baseUrl: llm.baseUrl('openai'),
    tools: { approval: 'writes' },
  })
  await addSession({
    name: 'writer',
    description: 'Writes code when coder cannot.',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    baseUrl: llm.baseUrl('anthropic'),
  })
  await addSession({
    name: 'tester',
    description: 'Runs the tests.',
    provider: 'google',
    model: 'gemini-2.5-pro',
    baseUrl: llm.baseUrl('google'),
  })
  await addSession({
    name: 'planner',
    description: 'Cuts a goal into steps.',
    provider: 'openai-compatible',
    model: 'llama3.2',
    baseUrl: llm.baseUrl('openai-compatible'),
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'coder', connector: 'files' })
  await succeed(hub, 'POST', '/api/bindings', {
    session: 'coder',
    connector: 'everything',
    env: [{ name: 'LOG_LEVEL', value: 'debug' }],
    allowedTools: ['echo', 'get-*'],
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'tester', connector: 'files' })
  await succeed(hub, 'POST', '/api/bindings', { session: 'planner', connector: 'memory' })
}

async function addTeam({ addTeam: add, workspace }: TeamHub): Promise<void> {
  await add({
    name: 'alpha',
    description: 'Writes, tests and plans.',
    workingDir: workspace,
    hasPathPolicy: true,
    paths: { roots: [workspace], denied: ['dist/**', '.env*'] },
    routing: {
      'team.generate_code': { prefer: ['openai'], fallback: ['anthropic'] },
      'team.run_tests': { prefer: ['google'], fallback: [] },
    },
    members: [
      { session: 'coder', role: 'code', priority: 1 },
      { session: 'writer', role: 'code', priority: 2 },
      { session: 'tester', role: 'test', priority: 3 },
      { session: 'planner', role: 'planner', priority: 4 },
    ],
  })
}

async function makeCalls({ hub, connect, workspace }: TeamHub): Promise<void> {
  await hub.api('PATCH', '/api/traces/capture/herma', { level: 'bodies' })
  const client = await hub.connectV2('auto')
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } }).catch(() => undefined)
  for (let round = 0; round < 12; round++) {
    await call('everything__echo', { message: `round ${round}` })
    await call('everything__get-sum', { a: round, b: 2 })
    await call('files__read_text_file', { path: join(workspace, 'notes', 'plan.md') })
  }
  await call('files__read_text_file', { path: '/etc/shadow' })
  await call('everything__trigger-long-running-operation', { duration: 2, steps: 4 })
  const team = await connect('/api/mcp/servers/alpha/stream', 'auto')
  for (let round = 0; round < 3; round++)
    await team.callTool({ name: 'team.plan_task', arguments: { goal: 'A function that adds two numbers' } })
  const { id } = await succeed<ThreadView>(hub, 'POST', '/api/sessions/coder/threads', { title: 'Where is the plan?' })
  const said = await fetch(`${hub.url}/api/sessions/coder/threads/${id}/messages`, {
    method: 'POST',
    headers: { ...hub.operator, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'What does the plan in notes say?' }),
  })
  await said.text()
}

const plan = {
  summary: 'Write the function first, then show that it works.',
  steps: [{ title: 'Write add', detail: 'A function of two numbers in src/add.js.', role: 'code', depends_on: [] }],
  risks: [],
}

/** A model that reads the plan when it is asked for it, and else plans. */
function answer({ messages, tools }: FakeRequest): Reply {
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  if (!asked.includes('notes')) return { text: JSON.stringify(plan) }
  if (messages.at(-1)?.role === 'tool')
    return { text: 'The plan has one line:\n\n> Ship the web UI.\n\nIt is in `notes/plan.md`.' }
  const reader = tools.find((name) => /read_text_file|read_file/.test(name))
  return reader === undefined
    ? { text: 'I cannot read it.' }
    : { toolCalls: [{ name: reader, arguments: { path: 'notes/plan.md' } }] }
}
