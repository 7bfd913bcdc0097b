import { describe, expect, test } from 'vitest'
import { Parking } from './parking.ts'
import { readState, sealState } from './request-state.ts'
import { createExchange, plainSealer } from '../testing/test-exchange.ts'

const parking = new Parking({ maxParked: 1, expiryMs: 1000 }, plainSealer)
const state = { kind: 'parked', id: 'p', round: 3 } as const

type Request = Parameters<typeof createExchange>[1] & { params?: Record<string, unknown> }

function sealed(request: Request = {}): string {
  return sealState(plainSealer, createExchange(parking, request).exchange, state)
}

function read(requestState: unknown, { params = { name: 'tool' }, ...rest }: Request = {}) {
  return readState(plainSealer, createExchange(parking, { ...rest, params: { ...params, requestState } }).exchange)
}

describe('a state', () => {
  test('is read with the request that it was made for', () => {
    expect(read(sealed())).toMatchObject(state)
    const resource = { method: 'resources/read', params: { uri: 'file:///a' } }
    expect(read(sealed(resource), resource)).toMatchObject(state)
  })

  test('does not mind other arguments', () => {
    expect(read(sealed(), { params: { name: 'tool', arguments: { a: 1 } } })).toMatchObject(state)
  })

  test.each<[string, Request]>([
    ['another principal', { caller: { principal: 'mallory' } }],
    ['another tool', { params: { name: 'other' } }],
    ['another method', { method: 'prompts/get' }],
    ['no name at all', { params: {} }],
    ['a name that is no text', { params: { name: ['tool'] } }],
  ])('is refused with %s', (_, request) => {
    expect(() => read(sealed(), request)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS', message: expect.stringContaining('another request') }),
    )
  })

  test.each([undefined, null, 5, {}, '', 'opaque'])('that is %j is refused', (requestState) => {
    expect(() => read(requestState)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS', message: expect.stringContaining('another hub') }),
    )
  })
})
