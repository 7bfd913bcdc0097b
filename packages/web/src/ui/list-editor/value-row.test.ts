import { expect, test } from 'vitest'
import { mergeRows, renameRow, toNamedValues, toValueRow } from './value-row.ts'

test('a stored secret is sent without a value as long as it is not replaced', () => {
  const row = toValueRow({ name: 'API_KEY', secret: true, stored: true })

  expect(toNamedValues([row])).toEqual([{ name: 'API_KEY', secret: true }])
  expect(toNamedValues([{ ...row, value: 'new' }])).toEqual([{ name: 'API_KEY', secret: true, value: 'new' }])
})

test('empty rows at the end are not sent, one in between is, so that its problem can be shown', () => {
  const blank = { name: '', value: '', secret: false }
  const filled = { name: 'A', value: 'b', secret: false }

  expect(toNamedValues([filled, blank, blank])).toHaveLength(1)
  expect(toNamedValues([blank, filled]).map(({ name }) => name)).toEqual(['', 'A'])
})

test('a personal value has a name only', () => {
  expect(toNamedValues([{ name: 'TOKEN', secret: true, personal: true }])).toEqual([
    { name: 'TOKEN', secret: true, personal: true },
  ])
})

test('the guess follows the name until somebody says otherwise', () => {
  const guessed = renameRow({ name: '', value: '', secret: false }, 'API_KEY')
  expect(guessed.secret).toBe(true)
  expect(renameRow(guessed, 'API_KEY_URL').secret).toBe(true)
  expect(renameRow(guessed, 'LOG_LEVEL').secret).toBe(false)
  expect(renameRow({ ...guessed, secret: false }, 'GITHUB_TOKEN').secret).toBe(false)
  expect(renameRow({ name: 'X', secret: true, stored: true }, 'Y').secret).toBe(true)
})

test('pasted rows take the place of the empty one and give new values to names that are there', () => {
  const rows = [toValueRow({ name: 'API_KEY', secret: true, stored: true }), { name: '', value: '', secret: false }]

  expect(
    mergeRows(rows, 1, [
      { name: 'API_KEY', value: 'new' },
      { name: 'LOG_LEVEL', value: 'info' },
    ]),
  ).toEqual([
    { name: 'API_KEY', secret: true, stored: true, value: 'new' },
    { name: 'LOG_LEVEL', secret: false, value: 'info' },
  ])
})
