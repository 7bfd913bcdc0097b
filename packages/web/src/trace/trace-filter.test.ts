import { expect, test } from 'vitest'
import { queryOf, setFields } from './trace-filter.ts'

test('a list without a wish shows calls, and that of a session its turns', () => {
  expect(queryOf({}).toString()).toBe('kind=call.finished')
  expect(queryOf({ session: 'ann' }).get('kind')).toBe('turn.finished')
  expect(queryOf({ session: 'ann', kind: '*' }).get('kind')).toBe('*')
})

test('what is open is no part of the filter', () => {
  expect(queryOf({ trace: 'a', compare: 'b', server: 'facade' }).toString()).toBe('kind=call.finished&server=facade')
})

test('every field that is set has a pill, but for those that have a button', () => {
  const search = { outcome: 'tool-error,error,refused', minMs: '1000', kind: '*', server: 'facade', text: 'words' }
  expect(setFields(search)).toEqual([{ name: 'server', label: 'Server', value: 'facade' }])
  expect(setFields({ outcome: 'refused', minMs: '20' }).map(({ value }) => value)).toEqual(['refused', '20'])
})
