import type { CatalogTool } from '@herma/contract'
import { expect, test } from 'vitest'
import { arrangeTools, filterTools, keysBetween, type Arrangement } from './arrange-tools.ts'

const tool = (connector: string, originalName: string, rest: Partial<CatalogTool> = {}): CatalogTool => ({
  name: `${connector}__${originalName}`,
  connector,
  originalName,
  description: '',
  hiddenBecause: null,
  pin: null,
  tags: [],
  tokens: 10,
  overridden: [],
  overrideState: null,
  ...rest,
})
const all = [
  tool('files', 'read', { description: 'Reads a note.', tags: ['daily'] }),
  tool('files', 'write', { name: null, hiddenBecause: 'disabled in (database)', overridden: ['enabled'] }),
  tool('memory', 'open', { pin: 'blocked', overridden: ['description'] }),
]
const everything: Arrangement = { text: '', filter: undefined, risky: new Set(), collapsed: new Set() }
const found = (part: Partial<Arrangement>) =>
  filterTools(all, { ...everything, ...part }).map(({ originalName }) => originalName)
const keys = (part: Partial<Arrangement>) => {
  const arrangement = { ...everything, ...part }
  return arrangeTools(all, filterTools(all, arrangement), arrangement).map(({ key }) => key)
}

test('every word of a text has to be somewhere in a tool', () => {
  expect(found({ text: 'FILES daily' })).toEqual(['read'])
  expect(found({ text: 'note memory' })).toEqual([])
})

test('pills keep what they name', () => {
  expect(found({ filter: 'hidden' })).toEqual(['write'])
  expect(found({ filter: 'overridden' })).toEqual(['open'])
  expect(found({ filter: 'waiting' })).toEqual(['open'])
  expect(found({ filter: 'findings', risky: new Set(['files/read']) })).toEqual(['read'])
})

test('tools stand below their servers, and hits of a text in one list', () => {
  expect(keys({})).toEqual(['files', 'files/read', 'files/write', 'memory', 'memory/open'])
  expect(keys({ collapsed: new Set(['files']) })).toEqual(['files', 'memory', 'memory/open'])
  expect(keys({ text: 'o' })).toEqual(['files/read', 'memory/open'])
})

test('a group counts all tools of its server, and the tokens of those that clients see', () => {
  const [first] = arrangeTools(all, filterTools(all, { ...everything, filter: 'hidden' }), everything)
  expect(first).toMatchObject({ group: { total: 2, hidden: 1, tokens: 10, tools: [{ originalName: 'write' }] } })
})

test('a range goes over servers, in either direction', () => {
  const lines = arrangeTools(all, all, everything)
  expect(keysBetween(lines, 'memory/open', 'files/write')).toEqual(['files/write', 'memory/open'])
  expect(keysBetween(lines, 'gone/gone', 'files/write')).toEqual(['files/write'])
})
