import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { clientAddress } from './client-address.ts'

test.each([
  ['10.0.0.7', undefined, '10.0.0.7'],
  ['10.0.0.7', '1.2.3.4', '10.0.0.7'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['::1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['::ffff:127.0.0.1', 'made up,  5.6.7.8 ', '5.6.7.8'],
])('from %s with X-Forwarded-For %s comes %s', (peer, forwarded, expected) => {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  expect(clientAddress(Object.assign(new IncomingMessage(socket), { headers }))).toBe(expected)
})
