import { expect, test } from 'vitest'
import { SseParser } from './sse-parser.ts'

interface Seen {
  type: string
  data: string
  id: string | undefined
}

function parse(chunks: readonly (Buffer | string)[], limit = 10_000): Seen[] {
  const seen: Seen[] = []
  const parser = new SseParser(({ type, data, id }) => seen.push({ type, data: data.toString('utf8'), id }), limit)
  for (const chunk of chunks) parser.push(Buffer.from(chunk as string))
  return seen
}

const message = (data: string, id?: string): Seen => ({ type: 'message', data, id })

const stream = [
  ': a comment\n\n',
  'event: endpoint\ndata: /messages?größe=1\n\n',
  'id: 1-1\ndata: {"a":\ndata:  "😀"}\n\n',
  'data\n\n',
  'retry: 250\nunknown: field\ndata:no space\n\n',
].join('')
const events: Seen[] = [
  { type: 'endpoint', data: '/messages?größe=1', id: undefined },
  message('{"a":\n "😀"}', '1-1'),
  message(''),
  message('no space'),
]

test.each([
  ['line feeds', stream],
  ['carriage returns and line feeds', stream.replaceAll('\n', '\r\n')],
])('a stream with %s gives the same events wherever it is cut in two', (_, text) => {
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events)
  }
})

test('a stream that comes byte by byte gives the same events', () => {
  const bytes = Buffer.from(stream)
  expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(events)
})

test.each([
  ['nothing', '', []],
  ['an event without its blank line', 'data: 1\n', []],
  ['a comment alone', ': keep-alive\n\n', []],
  ['blank lines alone', '\n\n\n', []],
  ['a type without data', 'event: ping\n\n', []],
  ['a type that is not carried over to the next event', 'event: ping\n\ndata: 1\n\n', [message('1')]],
  ['an id without data, which is a place to resume from', 'id: 5-0\n\n', [message('', '5-0')]],
  ['an id that belongs to its own event only', 'id: 5\ndata: 1\n\ndata: 2\n\n', [message('1', '5'), message('2')]],
  ['one space after the colon, which is not data', 'data:  1\n\n', [message(' 1')]],
  ['a colon inside of the data', 'data: a: b\n\n', [message('a: b')]],
  ['several lines of data', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
  ['a field whose name only begins like data', 'database: 1\n\n', []],
  ['spaces before a field name, which make it another one', ' data: 1\n\n', []],
])('%s is read as the specification says', (_, text, expected) => {
  expect(parse([text])).toEqual(expected)
})

test.each([
  ['retry: 1500\n', 1500],
  ['retry: 0\n', 0],
  ['retry: -1\n', undefined],
  ['retry: soon\n', undefined],
  ['retry: 99999999999999\n', undefined],
])('of %j the reconnection time is %s', (text, expected) => {
  const parser = new SseParser(() => {}, 1000)
  parser.push(Buffer.from(text))
  expect(parser.retryMs).toBe(expected)
})

test('bytes that are not text pass unchanged', () => {
  const data = Buffer.from([0xff, 0x00, 0xfe, 0x80])
  let seen: Buffer | undefined
  const parser = new SseParser((event) => (seen = event.data), 100)
  parser.push(Buffer.concat([Buffer.from('data: '), data, Buffer.from('\n\n')]))
  expect(seen).toEqual(data)
})

test('an event of just the limit passes, and the limit is that of one event', () => {
  const data = 'x'.repeat(100)
  expect(parse([`data: ${data}\n\n`, `data: ${data}\n\n`], 164)).toHaveLength(2)
})

test.each([
  ['one long line', ['data: ', 'x'.repeat(200)]],
  ['one long line that ends', [`data: ${'x'.repeat(200)}\n`]],
  ['many lines of data', Array.from({ length: 50 }, () => 'data: xxxx\n')],
  ['a few lines of data without a character', ['data\n', 'data\n']],
  ['a line without an end that is no field', ['x'.repeat(200)]],
  ['a comment without an end', [':', 'x'.repeat(200)]],
])('%s beyond the limit is refused', (_, chunks) => {
  expect(() => parse(chunks, 100)).toThrow('larger than 100 bytes')
})
