import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CompositeInput } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createTemporaryHome, type TemporaryHome } from '../../platform/testing/temporary-home.ts'
import { Composites } from './composites.ts'
import { mergeFragments, readFragments } from '../fragment/index.ts'

const manager: CompositeInput = {
  kind: 'aggregate',
  definition: {
    name: 'desk',
    description: 'Notes.',
    inputSchema: { type: 'object', properties: { operation: { type: 'string' }, path: { type: 'string' } } },
    operations: [{ value: 'read', downstreamServer: 'files', downstreamTool: 'read_file' }],
  },
}
const copy: CompositeInput = {
  kind: 'pipeline',
  definition: {
    name: 'copy',
    description: 'Copies a note.',
    inputSchema: { type: 'object' },
    steps: [{ id: 'note', tool: 'read_file', arguments: { path: '{{ input.path }}' }, onError: 'fail' }],
  },
}

let home: TemporaryHome
let events: HubEvent[]
let composites: Composites

beforeEach(async () => {
  home = await createTemporaryHome()
  const folders = { configHome: home.path, stateHome: join(home.path, 'state'), workspace: home.path }
  const bus = new Events()
  events = []
  bus.listen((event) => events.push(event))
  let merged = mergeFragments([])
  const reload = async () => {
    merged = mergeFragments(await readFragments(folders))
  }
  composites = new Composites({
    folders,
    events: bus,
    merged: () => merged.catalog,
    fragments: () => merged.views,
    reload,
    describeMember: ({ tool }) => (tool === 'read_file' ? { name: tool, inputSchema: { type: 'object' } } : undefined),
  })
  await mkdir(join(home.path, 'catalog'))
  await writeFile(join(home.path, 'catalog/10-mine.json'), fragment({ aggregations: [named(manager, 'mine')] }))
  await reload()
})
afterEach(() => home.remove())

const own = () => join(home.path, 'catalog/herma.json')
const fragment = (content: object) => JSON.stringify({ schemaVersion: 1, ...content })
const named = ({ definition }: CompositeInput, name: string) => ({ ...definition, name })
const renamed = (input: CompositeInput, name: string) =>
  ({ ...input, definition: named(input, name) }) as unknown as CompositeInput

test('what is saved is in a file of its own, beside what others wrote', async () => {
  expect(await composites.save('desk', manager)).toMatchObject({ name: 'desk', kind: 'aggregate', isEditable: true })
  await composites.save('copy', copy)
  expect(await composites.list()).toMatchObject([
    { name: 'copy', kind: 'pipeline', file: 'catalog/herma.json', isEditable: true, problem: null },
    { name: 'desk', kind: 'aggregate', file: 'catalog/herma.json', definition: manager.definition },
    { name: 'mine', file: 'catalog/10-mine.json', isEditable: false },
  ])
  expect(events.map(({ kind, data }) => [kind, data['name']])).toEqual([
    ['composite.changed', 'desk'],
    ['composite.changed', 'copy'],
  ])
  expect(await readdir(join(home.path, 'catalog'))).toEqual(['10-mine.json', 'herma.json'])
})

test('a change keeps the mode of the file, the place of the composite and all that is not its own', async () => {
  const views = [{ name: 'small', include: [{ tag: 'a' }] }]
  const before = { description: 'By hand.', views, aggregations: [named(manager, 'first'), named(manager, 'last')] }
  await writeFile(own(), fragment(before))
  await chmod(own(), 0o640)
  await composites.save('first', renamed(manager, 'front'))
  const after = JSON.parse(await readFile(own(), 'utf8')) as typeof before
  expect(after).toMatchObject({ description: 'By hand.', views })
  expect(after.aggregations.map(({ name }) => name)).toEqual(['front', 'last'])
  expect((await stat(own())).mode & 0o777).toBe(0o640)
  await composites.remove('front')
  await composites.save('last', renamed(copy, 'last'))
  expect(JSON.parse(await readFile(own(), 'utf8'))).toMatchObject({
    aggregations: [],
    pipelines: [{ name: 'last' }],
    views,
  })
})

test('the name of another file, of another composite and of none is refused', async () => {
  await composites.save('desk', manager)
  await expect(composites.save('mine', renamed(manager, 'mine'))).rejects.toMatchObject({
    code: 'COMPOSITE_EXISTS',
    message: expect.stringContaining('catalog/10-mine.json'),
  })
  await expect(composites.remove('mine')).rejects.toMatchObject({ code: 'COMPOSITE_EXISTS' })
  await composites.save('copy', copy)
  await expect(composites.save('copy', renamed(copy, 'desk'))).rejects.toMatchObject({ code: 'COMPOSITE_EXISTS' })
  await expect(composites.save('gone', renamed(manager, 'other'))).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  await expect(composites.remove('gone')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
})

test('what cannot work is refused with its place, and nothing is written', async () => {
  const operations = [
    ...(manager.kind === 'aggregate' ? manager.definition.operations : []),
    { value: 'READ', downstreamTool: 'x' },
  ]
  const twice = { ...manager, definition: { ...manager.definition, operations } } as CompositeInput
  await expect(composites.save('desk', twice)).rejects.toMatchObject({
    code: 'CATALOG_INVALID',
    cause: { issues: [{ path: ['definition', 'operations', '1', 'value'] }] },
  })
  expect(composites.dryRun(twice, {})).toMatchObject({
    calls: [],
    problems: [expect.stringContaining('operations.1.value')],
  })
  expect(await readdir(join(home.path, 'catalog'))).toEqual(['10-mine.json'])
})

test('a file that people broke is left as it is', async () => {
  await writeFile(own(), '{\n  "schemaVersion": 1,\n}')
  await expect(composites.save('desk', manager)).rejects.toMatchObject({
    message: expect.stringMatching(/Line \d: .*Mend/),
  })
  expect(await readFile(own(), 'utf8')).toContain('1,\n}')
})

test('two changes at once are both kept', async () => {
  await Promise.all(['a', 'b', 'c'].map((name) => composites.save(name, renamed(manager, name))))
  expect((await composites.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'mine'])
})

test('a draft shows what it would call', () => {
  expect(composites.dryRun(manager, { operation: 'read', path: 'a.txt' })).toEqual({
    calls: [{ step: 'read', server: 'files', tool: 'read_file', arguments: { path: 'a.txt' }, note: null }],
    problems: [],
  })
  expect(composites.dryRun(copy, { path: 'a' }).calls).toMatchObject([{ step: 'note', arguments: { path: 'a' } }])
})
