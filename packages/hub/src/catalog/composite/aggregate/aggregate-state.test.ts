import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AggregationState } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../platform/log.ts'
import { localOperator } from '../../../wire/index.ts'
import { AggregateStates, type AggregateState } from './aggregate-state.ts'
import { maxStateBytes } from './state-file.ts'

let work: string
let stateHome: string
let file: string
let lines: string[]

beforeEach(async () => {
  work = await realpath(await mkdtemp(join(tmpdir(), 'herma-state-')))
  stateHome = join(work, 'state')
  file = join(stateHome, 'aggregate-state', 'deep', 'memo.json')
  lines = []
})

afterEach(async () => {
  await rm(work, { recursive: true, force: true })
})

function openState(definition: Partial<AggregationState> = {}): AggregateState {
  const log = createLog('info', (line) => void lines.push(line))
  return new AggregateStates({ stateHome, variables: { WORK: work }, log }).open({
    path: 'deep/memo.json',
    defaults: { history: [], note: 'none' },
    operations: [
      {
        value: 'add',
        mutations: [{ action: 'append', key: 'history', value: { n: { type: 'argument', path: 'n' } } }],
      },
      { value: 'note', mutations: [{ action: 'set', key: 'note', source: { type: 'argument', path: 'note' } }] },
    ],
    ...definition,
  })
}

test('a file is written whole, for its owner alone, and leaves nothing beside it', async () => {
  const state = openState()
  await state.commit(localOperator, state.operation('note')!, { note: 'x' })
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ history: [], note: 'x' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(dirname(file))).toEqual(['memo.json'])
})

test('nothing is lost when many write at once, also through two that were made of the same definition', async () => {
  const states = new AggregateStates({ stateHome, log: createLog('silent') })
  const definition: AggregationState = {
    path: 'memo.json',
    operations: [
      { value: 'add', mutations: [{ action: 'append', key: 'list', value: { n: { type: 'argument', path: 'n' } } }] },
    ],
  }
  const [one, two] = [states.open(definition), states.open(definition)]
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const state = n % 2 === 0 ? one : two
      return state.commit(localOperator, state.operation('add')!, { n })
    }),
  )
  const { list } = (await one.read(localOperator)) as { list: { n: number }[] }
  expect(list.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
})

test.each([
  ['is no JSON', '{"note":'],
  ['is no object', '[1]'],
  ['is too large', JSON.stringify({ note: 'x'.repeat(maxStateBytes) })],
])('a file that %s is put aside, and the defaults are used', async (_, text) => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  const state = openState()
  expect(await state.read(localOperator)).toEqual({ history: [], note: 'none' })
  const names = await readdir(dirname(file))
  expect(names).toHaveLength(1)
  expect(names[0]).toMatch(/^memo\.json\.broken-/)
  expect(await readFile(join(dirname(file), names[0]!), 'utf8')).toBe(text)
  expect(lines.join('')).toContain('memo.json')
})

test('a link in the place of the file is not followed', async () => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(join(work, 'secret.json'), '{"note":"secret"}')
  await symlink(join(work, 'secret.json'), file)
  const state = openState()
  expect(await state.read(localOperator)).toMatchObject({ note: 'none' })
  await state.commit(localOperator, state.operation('note')!, { note: 'mine' })
  expect(await readFile(join(work, 'secret.json'), 'utf8')).toBe('{"note":"secret"}')
})

test('a folder that leads out of the state home is refused', async () => {
  await mkdir(join(work, 'elsewhere'))
  await mkdir(join(stateHome, 'aggregate-state'), { recursive: true })
  await symlink(join(work, 'elsewhere'), join(stateHome, 'aggregate-state', 'deep'))
  const state = openState()
  await expect(state.commit(localOperator, state.operation('note')!, { note: 'x' })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
  expect(await readdir(join(work, 'elsewhere'))).toEqual([])
})

test.each(['../memo.json', '/etc/memo.json', '.', '{{WORK}}/memo.json', 'a/../../memo.json', '~/memo.json'])(
  'the state path %s is refused',
  (path) => {
    expect(() => openState({ path })).toThrow(/not a file inside of/)
  },
)

test('a definition cannot reach what else is in the state home', async () => {
  await mkdir(stateHome)
  await writeFile(join(stateHome, 'key'), 'not JSON')
  const state = openState({ path: '{{HERMA_STATE_HOME}}/key' })
  await state.commit(localOperator, state.operation('note')!, { note: 'x' })
  expect(await readFile(join(stateHome, 'key'), 'utf8')).toBe('not JSON')
})

test('too much is refused, and what was remembered stays', async () => {
  const state = openState()
  await state.commit(localOperator, state.operation('note')!, { note: 'small' })
  const change = state.commit(localOperator, state.operation('note')!, { note: 'x'.repeat(maxStateBytes) })
  await expect(change).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  expect(await state.read(localOperator)).toMatchObject({ note: 'small' })
})

test('a history forgets its oldest entries when they are long, and cuts each', async () => {
  const state = openState()
  const add = state.operation('add')!
  for (let n = 0; n < 40; n++) await state.commit(localOperator, add, { n: `${n} ${'ö'.repeat(10_000)}` })
  const { history } = (await state.read(localOperator)) as { history: { n: string }[] }
  expect(history.length).toBeGreaterThan(5)
  expect(history.length).toBeLessThan(40)
  expect(history[0]!.n).toMatch(/^39 ö+…$/)
  expect((await stat(file)).size).toBeLessThanOrEqual(maxStateBytes)
})

test('a remembered folder that was replaced by a link out of the root is forgotten', async () => {
  const root = join(work, 'root')
  await mkdir(join(root, 'a'), { recursive: true })
  await mkdir(join(work, 'outside'))
  const state = openState({
    defaults: { cwd: root },
    fields: { cwd: { type: 'path', root } },
    operations: [
      { value: 'cd', mutations: [{ action: 'set', key: 'cwd', source: { type: 'argument', path: 'path' } }] },
    ],
  })
  const cd = state.operation('cd')!
  expect(await state.commit(localOperator, cd, { path: 'a' })).toEqual({ cwd: join(root, 'a') })
  await rename(join(root, 'a'), join(work, 'moved'))
  await symlink(join(work, 'outside'), join(root, 'a'))
  expect(await state.read(localOperator)).toEqual({ cwd: root })
})

test('a folder need not exist unless that is required, but a file is none', async () => {
  const root = join(work, 'root')
  await mkdir(root)
  await writeFile(join(root, 'file'), '')
  const state = openState({
    defaults: {},
    fields: { cwd: { type: 'path', root } },
    operations: [
      { value: 'cd', mutations: [{ action: 'set', key: 'cwd', source: { type: 'argument', path: 'path' } }] },
    ],
  })
  const cd = state.operation('cd')!
  expect(await state.commit(localOperator, cd, { path: 'new/deep' })).toEqual({ cwd: join(root, 'new/deep') })
  await expect(state.commit(localOperator, cd, { path: 'file' })).rejects.toThrow(/no folder/)
  await expect(state.commit(localOperator, cd, { path: 'file/inside' })).rejects.toThrow(/cannot be followed/)
})
