/** Random numbers that are the same for the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof createRandom>

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!

const oddBytes = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\t',
  ' ',
  ':',
  ';',
  ',',
  '\x7f',
  '\x80',
  '\xff',
  '"',
  '0',
  'a',
  '\r\n\r\n',
  '\x0b',
  '\\',
  '-',
  '+',
]

/** Header lines that change how a message is framed, in the ways in which others have been fooled. */
const oddLines = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer_Encoding: chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Content-Length: 0',
  'Content-Length: 5',
  'content-length: 5',
  'Content-Length: 05',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 5, 5',
  'Content-Length: 0x5',
  'Content-Length: 5 ',
  'Content-Length:\t5',
  'Content-Length:',
  'Content-Length: 99999999999999999999',
  'Content-Length : 5',
  'Connection: close',
  'Connection: Keep-Alive',
  'Connection: upgrade',
  'Connection: keep-alive, close',
  'Connection: content-length',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Keep-Alive: timeout=1',
  'TE: trailers',
  'Trailer: X',
  'Host: other',
  'Host:',
  'X-Empty:',
  'X-Space:   a  b   ',
  'X-Fold: a\r\n b',
  'X-Fold: a\r\n\tb',
  'X-Bare: a\nb: c',
  'X-Bare: a\rb: c',
  'X-Nul: a\0b',
  'X-High: \xe9',
  'X(Odd): a',
  '__proto__: a',
  'constructor: b',
  ': empty',
  'NoColon',
  'Cookie: a=1',
  'Cookie: b=2',
  'Set-Cookie: a=1',
  'Content-Encoding: gzip',
]

/** A few random changes of a message: a byte, a line, the framing, another message behind it. */
export function mutateMessage(message: string, random: Random, another: () => string): string {
  let text = message
  for (let changes = random(4); changes > 0; changes--) text = mutateOnce(text, random, another)
  return text
}

function mutateOnce(text: string, random: Random, another: () => string): string {
  const at = random(text.length + 1)
  const lines = text.split('\r\n')
  const headEnd = Math.max(1, lines.indexOf(''))
  switch (random(11)) {
    case 0:
      return text.slice(0, at) + pick(random, oddBytes) + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(3))
    case 2:
      return text.slice(0, at) + pick(random, oddBytes) + text.slice(at + 1)
    case 3:
    case 4:
      lines.splice(1 + random(headEnd), 0, pick(random, oddLines))
      return lines.join('\r\n')
    case 5:
      lines.splice(1 + random(headEnd), 0, lines[1 + random(Math.max(1, headEnd - 1))] ?? '')
      return lines.join('\r\n')
    case 6:
      lines.splice(1 + random(Math.max(1, headEnd - 1)), 1)
      return lines.join('\r\n')
    case 7:
      return text + another()
    case 8:
      return text.slice(0, at)
    case 9:
      return text.replace('\r\n', pick(random, ['\n', '\r', '\r\r\n', ' \r\n']))
    default:
      return text.replace(
        'HTTP/1.1',
        pick(random, ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2', 'http/1.1', 'HTTP/1.1 ', 'HTTP/01.1', 'ICE/1.1']),
      )
  }
}

/** The same bytes in random pieces. */
export function splitMessage(text: string, random: Random): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = random(3) > 0 ? bytes.length : at + 1 + random(bytes.length - at)
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}
