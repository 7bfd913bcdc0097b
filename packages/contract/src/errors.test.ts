import { expect, test } from 'vitest'
import { errorCodes, HubError } from './errors.ts'

test.each(Object.entries(errorCodes))('%s has a JSON-RPC code and an HTTP error status', (_, { rpc, http }) => {
  expect(rpc).toBeLessThan(-31_999)
  expect(rpc).toBeGreaterThan(-32_800)
  expect(http).toBeGreaterThanOrEqual(400)
  expect(http).toBeLessThan(600)
})

test('the numbers that a specification fixes are these', () => {
  expect(errorCodes.PARSE_ERROR).toEqual({ rpc: -32_700, http: 400 })
  expect(errorCodes.INVALID_REQUEST).toEqual({ rpc: -32_600, http: 400 })
  expect(errorCodes.METHOD_NOT_FOUND).toEqual({ rpc: -32_601, http: 404 })
  expect(errorCodes.INVALID_PARAMS.rpc).toBe(-32_602)
  expect(errorCodes.HEADER_MISMATCH).toEqual({ rpc: -32_020, http: 400 })
  expect(errorCodes.CAPABILITY_MISSING).toEqual({ rpc: -32_021, http: 400 })
  expect(errorCodes.REVISION_UNSUPPORTED).toEqual({ rpc: -32_022, http: 400 })
  expect(errorCodes.CONNECTION_NOT_FOUND.http).toBe(404)
  expect(errorCodes.BODY_TOO_LARGE.http).toBe(413)
})

test('an error keeps its code, its cause and what goes with it', () => {
  const cause = new Error('inner')
  const error = new HubError('INVALID_PARAMS', 'outer', { cause, data: { a: 1 } })
  expect(error).toMatchObject({ name: 'HubError', code: 'INVALID_PARAMS', message: 'outer', cause, data: { a: 1 } })
})

test('an error without a cause has none, so that logs do not show an empty one', () => {
  expect('cause' in new HubError('INTERNAL', 'x')).toBe(false)
})
