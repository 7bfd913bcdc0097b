import { afterAll, beforeAll, expect, test } from 'vitest'
import { directCells, nameCell, type CellKind } from './cell.ts'
import { openSdkClient, type Sdk } from './client/sdk-client.ts'
import { features } from './features.ts'
import { renderTable } from './report/render-table.ts'
import { countVerdicts } from './report/summary.ts'
import type { CellResult } from './run-cell.ts'
import { runMatrix } from './run-matrix.ts'
import { openStage, type Stage } from './stage.ts'

// What `npm run matrix` leaves out: cells without the hub, and the clients of the SDKs, with the newest revision of each
// era on both sides of the hub.
const eras = ['2025-11-25', '2026-07-28'] as const
const cells: CellKind[] = eras.flatMap((client) =>
  eras.flatMap((server) =>
    (['http', 'stdio'] as const).map((serverTransport) => ({
      client,
      clientTransport: 'http',
      server,
      serverTransport,
    })),
  ),
)

/** What the SDKs keep to themselves: batches, single rounds, cache hints, methods of no specification. */
const unseen = new Set(['batch', 'request-state', 'cache-hints', 'custom-method'])
/** The second SDK refuses ping itself in the modern era, and gives a missing resource one code in both. */
const unseenBySecond = new Set([...unseen, 'ping', 'missing-resource'])

let stage: Stage

beforeAll(async () => {
  stage = await openStage(cells)
})

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
})

function expectNoFailure(results: readonly CellResult[]): void {
  const failed = results.filter((result) => countVerdicts(result).failed > 0).map(({ kind }) => nameCell(kind))
  expect(failed, renderTable(results)).toEqual([])
}

function runSdk(sdk: Sdk, kinds: readonly CellKind[], hidden: ReadonlySet<string>): Promise<CellResult[]> {
  return runMatrix(stage, {
    cells: kinds,
    features: features.filter(({ name }) => !hidden.has(name)),
    openClient: ({ client: revision }, endpoint, client) => openSdkClient({ sdk, endpoint, revision, ...client }),
  })
}

test('the clients and servers of the matrix understand each other without the hub', async () => {
  await using direct = await openStage(directCells(), true)
  expectNoFailure(await runMatrix(direct, { cells: directCells() }))
})

test('every feature crosses for a client of the second SDK, in either era', async () => {
  expectNoFailure(await runSdk('v2', cells, unseenBySecond))
})

test('every feature crosses for a client of the first SDK', async () => {
  const legacy = cells.filter(({ client }) => client === '2025-11-25')
  expectNoFailure(await runSdk('v1', legacy, unseen))
})
