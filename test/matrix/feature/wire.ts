import type { Cell } from '../cell.ts'
import { batchRevision, isModern } from '../revision.ts'
import { isObject, type Json, type WireMessage } from '../wire-message.ts'
import { expectSame, expectTrue, textOf } from './expect.ts'
import { introduced, needed, type Feature } from './feature.ts'

/** What belongs to the messages themselves. */
export const wireFeatures: readonly Feature[] = [
  {
    name: 'batch',
    title: 'JSON-RPC batches: one array in, one array out',
    instead: 'refused with -32600',
    needs: [
      needed(
        'Batches were in 2025-03-26 only: 2025-06-18 removed them',
        '2025-06-18/changelog',
        ({ client }) => client === batchRevision,
      ),
    ],
    async run(cell) {
      const call = (id: string, text: string): WireMessage => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: cell.exposed('echo'), arguments: { text } },
      })
      const notification: WireMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }
      const answers = await cell.client.sendBatch([call('b1', 'one'), notification, call('b2', 'two')])
      const said = answers.map(({ id, result }) => [id, textOf(result ?? {})]).toSorted()
      expectSame('the answers', said, [
        ['b1', 'one'],
        ['b2', 'two'],
      ])
    },
    async otherwise(cell) {
      const ping: WireMessage = { jsonrpc: '2.0', id: 'b1', method: 'ping' }
      const outcome = await cell.client.sendBatch([ping]).then(
        (answers) => JSON.stringify(answers),
        (error: { code?: number }) => error.code,
      )
      expectSame('the refusal', outcome, -32600)
      // And the connection goes on.
      expectSame('the next call', textOf(await cell.call('echo', { text: 'still here' })), 'still here')
    },
  },
  {
    name: 'cache-hints',
    title: '`ttlMs` and `cacheScope` of lists and resources',
    needs: [introduced('Cache hints', '2026-07-28', ['client'])],
    async run(cell) {
      const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'server/discover']
      for (const method of lists) expectHints(method, await cell.client.request(method))
      const read = await cell.client.request('resources/read', { uri: cell.uri('note') })
      expectHints('resources/read', read)
      if (!isModern(cell.kind.server)) return
      expectSame('the hints of the server', [read['ttlMs'], read['cacheScope']], [5000, 'public'])
    },
  },
  {
    name: 'capabilities',
    title: 'The server is told what this client can do, where it matters to it',
    run: runCapabilities,
  },
]

function expectHints(method: string, { ttlMs, cacheScope }: Json): void {
  expectTrue(`ttlMs of ${method} is ${String(ttlMs)}`, Number.isInteger(ttlMs) && Number(ttlMs) >= 0)
  expectTrue(`cacheScope of ${method} is ${String(cacheScope)}`, cacheScope === 'public' || cacheScope === 'private')
}

async function runCapabilities(cell: Cell): Promise<void> {
  const full = await toldTo(cell, cell.client)
  for (const name of ['sampling', 'roots']) expectTrue(`the server was not told of ${name}`, isObject(full[name]))
  const client = await cell.open('roots-only', { roots: {} })
  // One process serves all clients and is told that they can do everything, until it asks one that cannot answer.
  const isShared = cell.kind.serverTransport === 'stdio' && !isModern(cell.kind.server)
  if (isShared) {
    const params = { name: cell.exposed('sample'), arguments: { key: cell.key } }
    await client.request('tools/call', params).catch(() => undefined)
  }
  const rootsOnly = await toldTo(cell, client)
  const tooMuch = (isShared ? ['sampling'] : ['sampling', 'elicitation']).filter(
    (name) => rootsOnly[name] !== undefined,
  )
  expectSame('what the server was told and the client did not say', tooMuch, [])
}

async function toldTo(cell: Cell, client: Awaited<ReturnType<Cell['open']>>): Promise<Json> {
  const result = await client.request('tools/call', { name: cell.exposed('inspect'), arguments: {} })
  return (JSON.parse(textOf(result)) as { capabilities: Json }).capabilities
}
