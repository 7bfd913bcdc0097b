import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { attemptNames } from './attempts.ts'
import type { InteropClient, Session, Way } from './client.ts'
import type { Stage } from './start-stage.ts'
import { tryWay } from './try-way.ts'

async function createStage(): Promise<Stage & { undos: (() => Promise<unknown>)[] }> {
  const files = await mkdtemp(join(tmpdir(), 'herma-try-way-'))
  onTestFinished(() => rm(files, { recursive: true }))
  const undos: (() => Promise<unknown>)[] = []
  return {
    endpoint: 'http://127.0.0.1:1/mcp',
    stdio: ['herma', 'stdio'],
    env: {},
    folder: files,
    files,
    tools: [{ name: 'echo', description: 'Says the same.' }],
    takeTurn: (work) => work(),
    undos,
    defer: (undo) => void undos.push(undo),
  }
}

const client: InteropClient = { name: 'Some Client', version: '1.0.0', cannot: {}, ways: [] }

function way(request: Session['request'], closed: string[] = [], cannot: Way['cannot'] = {}): Way {
  const close = async () => closed.push('closed')
  return { name: 'URL', cannot, open: async () => ({ request, close }) }
}

test('each attempt is ok, failed with its reason, or left out', async () => {
  const closed: string[] = []
  const stage = await createStage()
  const tools = [{ name: 'echo', description: 'Says the same.', inputSchema: {} }]
  const listOnly = way(
    async ({ method }) => (method === 'tools/list' ? { result: { tools } } : { errorCode: -32601 }),
    closed,
    { prompt: 'No command.' },
  )
  const { cells, failures } = await tryWay(client, listOnly, stage)
  expect(cells).toMatchObject({ 'tools are listed': 'ok', text: 'FAIL', prompt: '–', resource: 'FAIL' })
  expect(failures.map(({ attempt }) => attempt)).toEqual(
    attemptNames.filter((name) => !['tools are listed', 'prompt'].includes(name)),
  )
  expect(failures[0]?.reason).toContain('error -32601')
  expect(closed).toEqual(['closed'])
  expect(stage.undos).toHaveLength(1)
})

test('a client that does not connect is tried once, and fails every attempt with that reason', async () => {
  let opened = 0
  const open = async () => {
    opened++
    throw new Error('nobody listens')
  }
  const { cells, failures } = await tryWay(client, { name: 'URL', open }, await createStage())
  expect(opened).toBe(1)
  expect(new Set(Object.values(cells))).toEqual(new Set(['FAIL']))
  expect(new Set(failures.map(({ reason }) => reason))).toEqual(new Set(['nobody listens']))
})

test('a client that only claims to have written a file is found out', async () => {
  const claim = way(async ({ params }) => {
    const { path, head } = params['arguments'] as { path: string; head?: number }
    const text = head === undefined ? `Successfully wrote to ${path}` : 'one\ntwo'
    return { result: { content: [{ type: 'text', text }], structuredContent: { content: text } } }
  })
  const { failures } = await tryWay(client, claim, await createStage())
  const written = failures.find(({ attempt }) => attempt === 'files are written')
  expect(written?.reason).toMatch(/some-client-url\.txt/)
})
