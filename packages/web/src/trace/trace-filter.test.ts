import { expect, test } from 'vitest'
import { filterOf, setFields } from './trace-filter.ts'

test('a list without a wish shows calls, and that of a session its turns', () => {
  expect(filterOf({})).toMatchObject({
    kind: 'call.finished',
    method: expect.stringContaining('tools/call'),
  })
  expect(filterOf({ session: 'ann' }).kind).toBe('turn.finished')
  expect(filterOf({ session: 'ann', kind: '*' }).kind).toBe('*')
})

test('lists and handshakes are left out, unless all requests are wanted or how they ended', () => {
  expect(filterOf({ kind: 'call.finished' }).method).toBeUndefined()
  expect(filterOf({ outcome: 'error' }).method).toBeUndefined()
  expect(filterOf({ method: 'tools/list' }).method).toBe('tools/list')
})

test('what is open is no part of the filter', () => {
  const filter = filterOf({ trace: 'a', compare: 'b', kind: '*', server: 'facade' })
  expect(filter).toEqual({ kind: '*', server: 'facade' })
})

test('every field that is set has a pill, but for those that have a button', () => {
  const search = { outcome: 'tool-error,error,refused', minMs: '1000', kind: '*', server: 'facade', text: 'words' }
  expect(setFields(search)).toEqual([{ name: 'server', label: 'Server', value: 'facade' }])
  expect(setFields({ outcome: 'refused', minMs: '20' }).map(({ value }) => value)).toEqual(['refused', '20'])
})
