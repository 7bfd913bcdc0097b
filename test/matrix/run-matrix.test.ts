import { expect, test } from 'vitest'
import type { CellKind } from './cell.ts'
import { introduced, type Feature } from './feature/feature.ts'
import type { Outcome } from './run-cell.ts'
import { runMatrix } from './run-matrix.ts'
import { openStage } from './stage.ts'

const cell: CellKind = {
  client: '2025-03-26',
  clientTransport: 'http',
  server: '2025-03-26',
  serverTransport: 'http',
}

async function run(...features: Feature[]): Promise<Record<string, Outcome>> {
  await using stage = await openStage([cell], true)
  const [result] = await runMatrix(stage, { cells: [cell], features, limitMs: 500 })
  return Object.fromEntries(result!.outcomes)
}

function feature(name: string, rest: Partial<Feature>): Feature {
  return { name, title: name, run: () => Promise.resolve(), ...rest }
}

const tooNew = [introduced('The thing', '2025-06-18')]
const hole = {
  reason: 'The thing came with 2025-06-18',
  link: 'https://modelcontextprotocol.io/specification/2025-06-18/changelog',
}

test('a feature that throws fails with its reason, and the next one has a client again', async () => {
  const outcomes = await run(
    feature('throws', { run: () => Promise.reject(new Error('wrong')) }),
    feature('next', { run: async ({ call }) => void (await call('echo', { text: 'x' })) }),
  )
  expect(outcomes).toEqual({ throws: { verdict: 'FAILS', reason: 'wrong' }, next: { verdict: 'passes' } })
})

test('a feature that never ends fails', async () => {
  const { hangs } = await run(feature('hangs', { run: ({ key, call }) => call('wait', { key }).then(() => {}) }))
  expect(hangs).toEqual({ verdict: 'FAILS', reason: 'did not finish within 500 ms' })
})

test('a feature that a revision lacks is explained and not run', async () => {
  const { absent } = await run(feature('absent', { needs: tooNew, run: () => Promise.reject(new Error('was run')) }))
  expect(absent).toEqual({ verdict: 'explained', hole })
})

test('what has to happen instead is checked too', async () => {
  const { absent } = await run(
    feature('absent', { needs: tooNew, otherwise: () => Promise.reject(new Error('not refused')) }),
  )
  expect(absent).toEqual({ verdict: 'FAILS', reason: 'instead: not refused' })
})

test('a server that nobody can reach fails every feature', async () => {
  const refused = () => Promise.reject(new Error('nobody there'))
  await using stage = await openStage([cell], true)
  const [result] = await runMatrix(stage, { cells: [cell], features: [feature('one', {})], openClient: refused })
  expect(result!.outcomes.get('one')).toEqual({ verdict: 'FAILS', reason: 'could not connect: nobody there' })
})
