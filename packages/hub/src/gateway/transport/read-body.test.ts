import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { BufferBudget } from '@herma/framework/wire'
import { readRequestBody } from './read-body.ts'

/** A request that sends these bytes, and counts how much of it was read. */
function requestOf(body: Buffer, headers: Record<string, string>): IncomingMessage {
  const stream = Object.assign(new PassThrough(), { headers, complete: true })
  stream.end(body)
  return stream as unknown as IncomingMessage
}

function read(body: Buffer, headers: Record<string, string>, limit = 100_000): Promise<string> {
  return new Promise((resolve) => {
    readRequestBody(requestOf(body, headers), { limit, buffers: new BufferBudget() }, (error, bytes) =>
      resolve(error?.code ?? bytes.toString('utf8')),
    )
  })
}

test('a body is read as it is, or unpacked', async () => {
  const text = 'so it is '.repeat(50)
  expect(await read(Buffer.from(text), {})).toBe(text)
  expect(await read(Buffer.from(text), { 'content-encoding': 'identity' })).toBe(text)
  expect(await read(gzipSync(text), { 'content-encoding': 'gzip' })).toBe(text)
  expect(await read(deflateSync(text), { 'content-encoding': 'deflate' })).toBe(text)
  expect(await read(brotliCompressSync(text), { 'content-encoding': 'br' })).toBe(text)
})

test.each([
  ['is larger than the limit', Buffer.alloc(100_001), {}, 'BODY_TOO_LARGE'],
  ['unpacks to more than the limit', gzipSync(Buffer.alloc(100_001)), { 'content-encoding': 'gzip' }, 'BODY_TOO_LARGE'],
  [
    'is larger than the limit though not packed',
    Buffer.alloc(100_001),
    { 'content-encoding': 'identity' },
    'BODY_TOO_LARGE',
  ],
  ['is cut', gzipSync('{}'.repeat(99)).subarray(0, -9), { 'content-encoding': 'gzip' }, 'PARSE_ERROR'],
  ['is not what it says', Buffer.from('{}'), { 'content-encoding': 'br' }, 'PARSE_ERROR'],
  ['is packed twice', gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' }, 'CODING_UNSUPPORTED'],
])('one that %s is refused', async (_, body, headers, code) => {
  expect(await read(body, headers as Record<string, string>)).toBe(code)
})

test('one that unpacks to exactly the limit is read', async () => {
  expect(await read(gzipSync(Buffer.alloc(100_000, 0x61)), { 'content-encoding': 'gzip' })).toHaveLength(100_000)
})
