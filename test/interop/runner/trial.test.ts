import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { InteropServer } from '../server/interop-server.ts'
import { hubAttemptNames } from './attempts.ts'
import type { InteropClient, Session, Way } from './client.ts'
import type { Stage } from './start-stage.ts'
import { Trial } from './trial.ts'

async function createStage(servers: readonly InteropServer[] = []): Promise<Stage & { undos: unknown[] }> {
  const files = await mkdtemp(join(tmpdir(), 'herma-trial-'))
  onTestFinished(() => rm(files, { recursive: true }))
  const undos: unknown[] = []
  return {
    endpoint: 'http://127.0.0.1:1/mcp',
    stdio: ['herma', 'stdio'],
    env: {},
    folder: files,
    files,
    tools: [{ name: 'echo', description: 'Says the same.' }],
    servers,
    broken: {},
    startHubAgain: async () => {},
    takeTurn: (work) => work(),
    undos,
    defer: (undo) => void undos.push(undo),
  }
}

const client: InteropClient = { name: 'Some Client', version: '1.0.0', cannot: {}, ways: [] }
const step = {
  request: { method: 'tools/call', params: { name: 'x' } },
  expected: { result: { content: [] } },
} as const
const server: InteropServer = {
  name: 'x',
  title: 'X',
  version: '1',
  transport: 'HTTP',
  eras: 'both',
  connect: () => Promise.reject(new Error('never connected')),
  attempts: () => ({ 'a call': [step], asks: [step] }),
  cannot: (era) => (era === 'modern' ? { asks: 'Not so.' } : {}),
}

function way(request: Session['request'], closed: string[] = [], cannot: Way['cannot'] = {}): Way {
  const close = async () => closed.push('closed')
  return { name: 'URL', era: 'modern', cannot, open: async () => ({ request, close }) }
}

test('each attempt is ok, failed with its reason, or left out', async () => {
  const closed: string[] = []
  const stage = await createStage()
  const tools = [{ name: 'echo', description: 'Says the same.', inputSchema: {} }]
  const listOnly = way(
    async ({ method }) => (method === 'tools/list' ? { result: { tools } } : { error: { code: -32601 } }),
    closed,
    { prompt: 'No command.' },
  )
  const trial = new Trial(client, listOnly, stage)
  await trial.run()
  await trial.close()
  expect(trial.cells.map(({ attempt }) => attempt)).toEqual(hubAttemptNames)
  expect(trial.cells[0]).toEqual({ attempt: 'tools are listed', verdict: 'ok' })
  expect(trial.cells.find(({ attempt }) => attempt === 'prompt')).toEqual({
    attempt: 'prompt',
    verdict: '–',
    reason: 'No command.',
  })
  expect(trial.cells.filter(({ verdict }) => verdict === 'FAIL')).toHaveLength(hubAttemptNames.length - 2)
  expect(trial.cells[1]?.reason).toContain('"code":-32601')
  expect(closed).toEqual(['closed'])
  expect(stage.undos).toHaveLength(1)
})

test('every server is tried by a client that keeps its connection, but for what it cannot do in this era', async () => {
  const answer = way(async () => ({ result: { content: [] } }))
  const trial = new Trial(client, answer, await createStage([server]))
  await trial.run()
  expect(trial.cells.slice(hubAttemptNames.length)).toEqual([
    { attempt: 'a call', server: 'x', verdict: 'ok' },
    { attempt: 'asks', server: 'x', verdict: '–', reason: 'Not so.' },
  ])
  const oneShot = new Trial({ ...client, isOneShot: true }, answer, await createStage([server]))
  await oneShot.run()
  expect(oneShot.cells).toHaveLength(hubAttemptNames.length)
})

test('after a restart the same connection is asked, and a client without one is left out', async () => {
  let opened = 0
  const lost: Way = {
    name: 'URL',
    era: 'legacy',
    async open() {
      opened++
      return { request: () => Promise.reject(new Error('Session terminated')), close: async () => {} }
    },
  }
  const trial = new Trial(client, lost, await createStage())
  await trial.run()
  await trial.goOn('goes on after a restart')
  expect(trial.cells.at(-1)).toEqual({
    attempt: 'goes on after a restart',
    verdict: 'FAIL',
    reason: 'Session terminated',
  })
  expect(opened).toBe(1)
  const oneShot = new Trial({ ...client, isOneShot: true }, lost, await createStage())
  await oneShot.goOn('goes on after a kill')
  expect(oneShot.cells).toMatchObject([{ attempt: 'goes on after a kill', verdict: '–' }])
})

test('a client that does not connect is tried once, and fails every attempt with that reason', async () => {
  let opened = 0
  const open = async () => {
    opened++
    throw new Error('nobody listens')
  }
  const trial = new Trial(client, { name: 'URL', era: 'legacy', open }, await createStage())
  await trial.run()
  expect(opened).toBe(1)
  expect(new Set(trial.cells.map(({ verdict, reason }) => `${verdict} ${reason}`))).toEqual(
    new Set(['FAIL nobody listens']),
  )
})

test('a client that only claims to have written a file is found out', async () => {
  const claim = way(async ({ params }) => {
    const { path, head } = params['arguments'] as { path: string; head?: number }
    const text = head === undefined ? `Successfully wrote to ${path}` : 'one\ntwo'
    return { result: { content: [{ type: 'text', text }], structuredContent: { content: text } } }
  })
  const trial = new Trial(client, claim, await createStage())
  await trial.run()
  const written = trial.cells.find(({ attempt }) => attempt === 'files are written')
  expect(written?.reason).toMatch(/some-client-url\.txt/)
})
