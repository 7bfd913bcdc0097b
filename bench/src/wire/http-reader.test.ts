import { expect, test } from 'vitest'
import { HttpReader, type HttpMessage } from './http-reader.ts'

/** Feeds the text in packets of the given size and returns what was read. */
function readAll(kind: 'request' | 'response', text: string, packetBytes: number, { isEnded = false } = {}) {
  const messages: HttpMessage[] = []
  const reader = new HttpReader(kind, (message) => messages.push(message))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += packetBytes) reader.push(bytes.subarray(at, at + packetBytes))
  if (isEnded) reader.end()
  return messages.map(({ startLine, header, body }) => ({
    startLine,
    type: header('content-type'),
    body: body.toString(),
  }))
}

const REQUESTS =
  'POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{"a"' +
  'POST /mcp HTTP/1.1\r\ncontent-type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\ndéfg\r\n0\r\n\r\n' +
  'GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n'

test.each([1, 2, 7, 1000])('reads requests one after the other from packets of %i bytes', (packetBytes) => {
  expect(readAll('request', REQUESTS, packetBytes)).toEqual([
    { startLine: 'POST /mcp HTTP/1.1', type: 'application/json', body: '{"a"' },
    { startLine: 'POST /mcp HTTP/1.1', type: 'text/plain', body: 'abcdéfg' },
    { startLine: 'GET /mcp HTTP/1.1', type: undefined, body: '' },
  ])
})

test('skips interim answers and reads a body without a length up to the end of the stream', () => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall the rest'
  expect(readAll('response', text, 5)).toEqual([])
  expect(readAll('response', text, 5, { isEnded: true })).toEqual([
    { startLine: 'HTTP/1.1 200 OK', type: 'text/plain', body: 'all the rest' },
  ])
})

test('an answer without content has no body even when another answer follows', () => {
  const text = 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'
  expect(readAll('response', text, 9).map((message) => message.startLine)).toEqual([
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 202 Accepted',
  ])
})
