import { expect, test } from 'vitest'

import { parseListen } from './parse-listen.ts'

test.each([
  ['127.0.0.1:4376', '127.0.0.1', 4376],
  ['localhost:80', 'localhost', 80],
  ['[::1]:9000', '::1', 9000],
  [':0', '127.0.0.1', 0],
  ['5000', '127.0.0.1', 5000],
  ['localhost', 'localhost', 4376],
])('%s means host %s and port %i', (text, host, port) => {
  expect(parseListen(text)).toEqual({ host, port })
})

test.each([['0.0.0.0:4376'], ['[::]:4376'], ['example.com:80'], ['127.example.com:80'], ['10.0.0.1:80']])(
  '%s is refused, because it is not loopback',
  (text) => {
    expect(() => parseListen(text)).toThrow(/only loopback/)
  },
)

test.each([['127.0.0.1:99999'], ['a:b'], ['::1:80'], ['127.0.0.1:-1']])('%s is refused with an example', (text) => {
  expect(() => parseListen(text)).toThrow(/For example: --listen 127\.0\.0\.1:4376/)
})
