import { describe, expect, test } from 'vitest'
import { storeFailure } from './store-failure.ts'

const failed = (code: string | undefined, message = 'no luck') =>
  new Error('Failed query: select 1\nparams: secret', {
    cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
  })

describe('a failed query', () => {
  test.each([
    ['53100', 'could not extend file', /Its disk is full/],
    ['58030', 'could not read', /Its disk is full or broken/],
    ['25006', 'cannot execute INSERT in a read-only transaction', /It only reads/],
    ['57P03', 'the database system is in recovery mode', /in recovery mode\. Once PostgreSQL answers/],
    ['53300', 'sorry, too many clients already', /max_connections/],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432', /ECONNREFUSED/],
    [undefined, 'Connection terminated unexpectedly', /Connection terminated/],
    [undefined, 'timeout exceeded when trying to connect', /timeout exceeded/],
  ])('with %s is the store: %s', (code, message, text) => {
    const found = storeFailure(failed(code, message))
    expect(found?.code).toBe('STORE_UNAVAILABLE')
    expect(found?.message).toMatch(text)
    expect(found?.message).not.toMatch(/secret|Failed query/)
  })

  test.each(['23505', '22003', '42P01', '40001'])('with %s is about the query', (code) => {
    expect(storeFailure(failed(code))).toBeNull()
  })
})

test('a socket that is not of the store is none of its failures', () => {
  expect(storeFailure(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))).toBeNull()
  expect(storeFailure(new TypeError('x is not a function'))).toBeNull()
  expect(storeFailure('text')).toBeNull()
})
