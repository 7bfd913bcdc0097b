import { describe, expect, test } from 'vitest'
import { translateError } from './translate-error.ts'

const error = (code: number, message = 'text', data?: unknown) => ({
  code,
  message,
  ...(data !== undefined && { data }),
})

describe('an error of a legacy server for a modern client', () => {
  test.each([
    [-32002, -32602],
    [-32602, -32602],
    [-32601, -32601],
    [-32603, -32603],
    [-32000, -32000],
    [-32019, -32019],
    // A modern client would read something else into these.
    [-32020, -32603],
    [-32021, -32603],
    [-32022, -32603],
    [-32023, -32023],
    [-32042, -32042],
    [-32099, -32099],
    [-32100, -32100],
    [5, 5],
  ])('%i becomes %i', (from, to) => {
    expect(translateError(error(from, 'text', { a: 1 }), 'resources/read', 'modern')).toEqual(
      error(to, 'text', { a: 1 }),
    )
  })
})

describe('an error of a modern server for a legacy client', () => {
  test.each([
    ['resources/read', error(-32602, 'Resource not found'), -32002],
    ['resources/read', error(-32602, 'nope', { uri: 'file:///a' }), -32002],
    ['resources/read', error(-32602, 'unknown argument'), -32602],
    ['resources/read', error(-32602, 'uri must be a string'), -32602],
    ['tools/call', error(-32602, 'Unknown tool'), -32602],
    ['tools/call', error(-32021, 'needs sampling'), -32021],
    ['tools/call', error(-32099, 'own'), -32099],
    ['tools/call', error(-32601), -32601],
    ['tools/call', error(-32019), -32019],
  ])('of %s: %j gets the code %i', (method, given, code) => {
    expect(translateError(given, method, 'legacy')).toEqual({ ...given, code })
  })
})
