import { describe, expect, test } from 'vitest'
import { SearchIndex } from './search-index.ts'
import { toSearchDocument, type SearchDocument } from './search-document.ts'

function document(key: string, description = '', more: Partial<SearchDocument> = {}): SearchDocument {
  return { key, name: key, title: '', description, parameters: [], server: '', tags: [], ...more }
}

const keys = (index: SearchIndex, query: string, limit = 10) => index.search(query, { limit }).map(({ key }) => key)

describe('a segment', () => {
  test('is replaced and removed as a whole', () => {
    const index = new SearchIndex()
    index.setSegment('a', [document('read_file'), document('write_file')])
    index.setSegment('b', [document('read_mail')])
    expect(keys(index, 'read').toSorted()).toEqual(['read_file', 'read_mail'])
    index.setSegment('a', [document('delete_file')])
    expect(keys(index, 'read')).toEqual(['read_mail'])
    expect(keys(index, 'file')).toEqual(['delete_file'])
    index.removeSegment('a')
    index.removeSegment('unknown')
    expect(keys(index, 'file')).toEqual([])
    expect(index.size).toBe(1)
  })

  test('scores the same whatever was indexed before', () => {
    const fresh = new SearchIndex()
    const used = new SearchIndex()
    for (let round = 0; round < 20; round++) used.setSegment('a', [document(`old_${round}`, `word${round} gone`)])
    used.setSegment('b', [document('other_thing')])
    used.removeSegment('b')
    for (const index of [fresh, used]) index.setSegment('a', [document('read_file', 'reads it'), document('stat_file')])
    expect(used.search('read file', { limit: 5 })).toEqual(fresh.search('read file', { limit: 5 }))
  })

  test('that cannot be read leaves the one before', () => {
    const index = new SearchIndex()
    index.setSegment('a', [document('read_file')])
    function* broken(): Generator<SearchDocument> {
      yield document('half_done')
      throw new Error('broken')
    }
    expect(() => index.setSegment('a', broken())).toThrow('broken')
    expect(keys(index, 'half read')).toEqual(['read_file'])
  })

  test('may be larger than sixteen bits can count', () => {
    const index = new SearchIndex()
    index.setSegment(
      'a',
      Array.from({ length: 70_000 }, (_, number) => document(number === 69_999 ? 'needle' : `n${number}`)),
    )
    expect(keys(index, 'needle')).toEqual(['needle'])
  })
})

describe('a search', () => {
  const index = new SearchIndex()
  index.setSegment('a', [
    document('send_mail', 'Sends a message to a person.'),
    document('notify', 'Shows a message, a long text about mail and many other things that are sent around the house.'),
    document('mailbox_list', 'Lists folders.', { tags: ['mail'] }),
    document('weather', 'Forecast.', { parameters: [{ name: 'city', description: 'Where, such as Oslo.' }] }),
    document('stock', 'Prices.', { server: 'finance' }),
    document('odd', 'Constructor.', { title: '__proto__ toString' }),
  ])

  test('prefers names to descriptions, and whoever has all the words', () => {
    expect(keys(index, 'send mail')[0]).toBe('send_mail')
    expect(keys(index, 'mail')[0]).toBe('send_mail')
    const pair = new SearchIndex()
    pair.setSegment('a', [document('invoice_invoice'), document('x', 'Books one. Pays an invoice when it is due.')])
    expect(keys(pair, 'pay invoice')[0]).toBe('x')
  })

  test.each([
    ['city', 'weather'],
    ['oslo', 'weather'],
    ['finance', 'stock'],
    ['forec', 'weather'],
    ['constructor', 'odd'],
    ['__proto__', 'odd'],
    ['MAILBOX', 'mailbox_list'],
  ])('for %j finds %s', (query, key) => {
    expect(keys(index, query)[0]).toBe(key)
  })

  test.each(['', '   ', 'the of and', 'zzzz', 'hasOwnProperty', '\0', '%'])('for %j finds nothing', (query) => {
    expect(keys(index, query)).toEqual([])
  })

  test('gives as many as asked for, the best of them', () => {
    const all = index.search('mail message list', { limit: 100 })
    for (const limit of [0, 1, 2, 3]) {
      expect(index.search('mail message list', { limit })).toEqual(all.slice(0, limit))
    }
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a))
  })

  test('asks whether a document is meant', () => {
    const found = index.search('mail', { limit: 10, accepts: (key) => key !== 'send_mail' })
    expect(found.map(({ key }) => key)).not.toContain('send_mail')
    expect(found.length).toBeGreaterThan(0)
  })

  test('reads only the beginning of an endless query', () => {
    expect(keys(index, `mail ${'x '.repeat(100_000)}`)[0]).toBe('send_mail')
  })
})

test('a descriptor is read as far as it has the right types', () => {
  const inputSchema = {
    properties: {
      path: { type: 'string', description: 'Where.' },
      filter: { properties: { since: { description: 'Date.' } } },
      operation: { enum: ['list', 'remove', 3] },
      broken: 'no schema',
    },
  }
  expect(toSearchDocument('k', { name: 'n', annotations: { title: 'T' }, inputSchema }, 's', ['t'])).toEqual({
    key: 'k',
    name: 'n',
    title: 'T',
    description: '',
    parameters: [
      { name: 'path', description: 'Where.' },
      { name: 'filter', description: '' },
      { name: 'since', description: 'Date.' },
      { name: 'operation', description: ' list remove' },
    ],
    server: 's',
    tags: ['t'],
  })
  const nothing = { title: '', description: '', parameters: [], server: '', tags: [] }
  const odd = { name: 1, title: {}, description: null, inputSchema: { properties: [] } }
  expect(toSearchDocument('k', odd, '', [])).toEqual({ key: 'k', name: 'k', ...nothing })
})
