import { expect, test } from 'vitest'
import { queryOf, setFields } from './trace-filter.ts'

test('a list without a wish shows calls, and that of a session its turns', () => {
  expect(Object.fromEntries(queryOf({}))).toMatchObject({
    kind: 'call.finished',
    method: expect.stringContaining('tools/call'),
  })
  expect(queryOf({ session: 'ann' }).get('kind')).toBe('turn.finished')
  expect(queryOf({ session: 'ann', kind: '*' }).get('kind')).toBe('*')
})

test('lists and handshakes are left out, unless all requests are wanted or how they ended', () => {
  expect(queryOf({ kind: 'call.finished' }).has('method')).toBe(false)
  expect(queryOf({ outcome: 'error' }).has('method')).toBe(false)
  expect(queryOf({ method: 'tools/list' }).get('method')).toBe('tools/list')
})

test('what is open is no part of the filter', () => {
  const query = queryOf({ trace: 'a', compare: 'b', kind: '*', server: 'facade' })
  expect(query.toString()).toBe('kind=*&server=facade'.replace('*', encodeURIComponent('*')))
})

test('every field that is set has a pill, but for those that have a button', () => {
  const search = { outcome: 'tool-error,error,refused', minMs: '1000', kind: '*', server: 'facade', text: 'words' }
  expect(setFields(search)).toEqual([{ name: 'server', label: 'Server', value: 'facade' }])
  expect(setFields({ outcome: 'refused', minMs: '20' }).map(({ value }) => value)).toEqual(['refused', '20'])
})
