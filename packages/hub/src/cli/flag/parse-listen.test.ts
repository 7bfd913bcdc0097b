import { expect, test } from 'vitest'

import { isLoopback, parseListen } from './parse-listen.ts'

test.each([
  ['127.0.0.1:4376', '127.0.0.1', 4376],
  ['localhost:80', 'localhost', 80],
  ['[::1]:9000', '::1', 9000],
  [':0', '127.0.0.1', 0],
  ['5000', '127.0.0.1', 5000],
  ['localhost', 'localhost', 4376],
  ['0.0.0.0:4376', '0.0.0.0', 4376],
  ['[::]', '::', 4376],
  ['10.0.0.1:80', '10.0.0.1', 80],
])('%s means host %s and port %i', (text, host, port) => {
  expect(parseListen(text)).toEqual({ host, port })
})

test.each([['example.com:80'], ['127.example.com:80'], ['*:80']])('%s is refused, because it is no address', (text) => {
  expect(() => parseListen(text)).toThrow(/an address of this machine, localhost, or 0\.0\.0\.0/)
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
])('%s is for this machine alone: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test.each([['127.0.0.1:99999'], ['a:b'], ['::1:80'], ['127.0.0.1:-1']])('%s is refused with an example', (text) => {
  expect(() => parseListen(text)).toThrow(/For example: --listen 127\.0\.0\.1:4376/)
})
