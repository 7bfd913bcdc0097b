import { describe, expect, test } from 'vitest'
import {
  peekAnswerId,
  piecesLength,
  piecesToBuffer,
  rewriteAnswer,
  rewriteHead,
  rewriteModernAnswer,
} from './answer.ts'

const added = '"resultType":"complete"'

function rewrite(text: string, { id = 7, clientId = '"client-1"', extra = '' } = {}): string | null {
  const pieces = rewriteAnswer(Buffer.from(text), id, clientId, extra)
  return pieces === null ? null : piecesToBuffer(pieces).toString('utf8')
}

describe('the id of an answer', () => {
  test.each([
    ['first, as most servers write it', '{"jsonrpc":"2.0","id":7,"result":{"a":1}}'],
    ['last, as the TypeScript SDK writes it', '{"result":{"a":1},"jsonrpc":"2.0","id":7}'],
    ['in the middle', '{"jsonrpc":"2.0","result":{"a":1},"id":7,"x":true}'],
    ['before the version', '{"id":7,"jsonrpc":"2.0","result":{"a":1}}'],
    ['with white space around', ' {\n "jsonrpc" : "2.0", "id" : 7,\r\n "result" : { "a" : 1 } }\n'],
    ['in an error, first', '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}'],
    ['in an error, last', '{"error":{"code":-32602,"message":"no"},"jsonrpc":"2.0","id":7}'],
  ])('is replaced where it stands %s', (_, text) => {
    expect(JSON.parse(rewrite(text)!)).toEqual({ ...JSON.parse(text), id: 'client-1' })
  })

  test.each([
    '1',
    '0',
    '-3',
    '1.5',
    '"abc"',
    '""',
    '"7"',
    '"ein Schlüssel 🔑"',
    '"\\u0000\\"\\\\"',
    '9007199254740991',
  ])('is replaced by the client id %s wherever it stands', (clientId) => {
    for (const text of [
      '{"jsonrpc":"2.0","id":7,"result":{"a":1}}',
      '{"result":{"a":1},"jsonrpc":"2.0","id":7}',
      '{"id":7,"jsonrpc":"2.0","result":{"a":1}}',
    ]) {
      const pieces = rewriteAnswer(Buffer.from(text), 7, clientId, '')!
      const bytes = piecesToBuffer(pieces)
      expect(piecesLength(pieces)).toBe(bytes.length)
      expect(JSON.parse(bytes.toString('utf8'))).toEqual({ jsonrpc: '2.0', id: JSON.parse(clientId), result: { a: 1 } })
    }
  })

  test.each([
    '{"jsonrpc":"2.0","id":7,"result":{"id":7,"items":[{"id":7},{"a":1,"id":7}]}}',
    '{"result":{"a":1,"id":7},"jsonrpc":"2.0","id":7}',
    '{"result":{"text":",\\"id\\":7}"},"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"result":{"text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":7,"}}',
  ])('is replaced at the root only: %s', (text) => {
    expect(JSON.parse(rewrite(text)!)).toEqual({ ...JSON.parse(text), id: 'client-1' })
  })

  test.each([
    ['another id, first', '{"jsonrpc":"2.0","id":8,"result":{}}'],
    ['another id, last', '{"result":{},"jsonrpc":"2.0","id":8}'],
    ['a longer id that begins the same', '{"jsonrpc":"2.0","id":77,"result":{}}'],
    ['the id as text', '{"jsonrpc":"2.0","id":"7","result":{}}'],
    ['no id', '{"jsonrpc":"2.0","result":{}}'],
    ['the id inside of the result only', '{"result":{"id":7}}'],
    ['a question of the server with the same id, first', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'],
    ['a question of the server with the same id, last', '{"method":"roots/list","jsonrpc":"2.0","id":7}'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[{"jsonrpc":"2.0","id":7,"result":{}}]'],
  ])('is not taken from %s', (_, text) => {
    expect(rewrite(text)).toBeNull()
  })
})

describe('what an answer carries', () => {
  test.each([
    ['id first', (result: string) => `{"jsonrpc":"2.0","id":7,"result":${result}}`],
    ['id last', (result: string) => `{"result":${result},"jsonrpc":"2.0","id":7}`],
  ])('passes byte by byte with the %s', (_, wrap) => {
    const result = '{"big":12345678901234567890,"e":1.0e2,"ключ":"é\\u00e9 \\ud83d\\ude00 😀","z":1,"a":2,"a":3}'
    expect(rewrite(wrap(result))).toContain(result)
  })

  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"a":1}}', { resultType: 'complete', a: 1 }],
    ['{"result":{"a":1},"jsonrpc":"2.0","id":7}', { resultType: 'complete', a: 1 }],
    ['{"id":7,"jsonrpc":"2.0","result":{"a":1}}', { resultType: 'complete', a: 1 }],
    ['{"jsonrpc":"2.0","id":7,"result":{}}', { resultType: 'complete' }],
    ['{"result":{},"jsonrpc":"2.0","id":7}', { resultType: 'complete' }],
    ['{"jsonrpc":"2.0","id":7,"result":{ }}', { resultType: 'complete' }],
    ['{"result":{ \t\r\n},"jsonrpc":"2.0","id":7}', { resultType: 'complete' }],
    ['{"jsonrpc":"2.0","id":7,"result":{ "a": 1 }}', { resultType: 'complete', a: 1 }],
    ['{"jsonrpc":"2.0","id":7,"result":{"resultType":"task","a":1}}', { resultType: 'task', a: 1 }],
    ['{"id":7,"jsonrpc":"2.0","result":{"resultType":"task"}}', { resultType: 'task' }],
    ['{"jsonrpc":"2.0","id":7,"result":[1]}', [1]],
    ['{"jsonrpc":"2.0","id":7,"result":null}', null],
    ['{"result":"text","jsonrpc":"2.0","id":7}', 'text'],
  ])('gets members in front of its own, which win: %s', (text, result) => {
    expect(JSON.parse(rewrite(text, { extra: added })!)).toEqual({ jsonrpc: '2.0', id: 'client-1', result })
  })

  test.each([
    '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"result"}}',
    '{"error":{"code":-1,"message":"result"},"jsonrpc":"2.0","id":7}',
    '{"id":7,"jsonrpc":"2.0","error":{"code":-1,"message":"result"}}',
  ])('gets nothing added when it is an error: %s', (text) => {
    expect(JSON.parse(rewrite(text, { extra: added })!)).toEqual({ ...JSON.parse(text), id: 'client-1' })
  })

  test.each(['', '{', '{"jsonrpc":"2.0"', 'not JSON', '<html>'])('throws when it is not JSON: %j', (text) => {
    expect(() => rewriteAnswer(Buffer.from(text), 7, '1', '')).toThrow(SyntaxError)
  })

  test.each([
    '{"jsonrpc":"2.0","id":7,"result":{"content":[',
    '{"jsonrpc":"2.0","id":7,"result":{"content":[]',
    '{"jsonrpc":"2.0","id":7,"error":{"code":1,"mess',
  ])('throws when it was cut off: %j', (text) => {
    expect(() => rewriteAnswer(Buffer.from(text), 7, '1', '')).toThrow(SyntaxError)
  })
})

describe('the first chunk of an answer', () => {
  const text = '{"jsonrpc":"2.0","id":7,"result":{"content":["größe",1]}}'

  test('can be cut anywhere: either it is not taken yet, or the rest follows unchanged', () => {
    const bytes = Buffer.from(text)
    for (const extra of ['', added]) {
      for (let cut = 0; cut <= bytes.length; cut++) {
        const pieces = rewriteHead(bytes.subarray(0, cut), 7, '"ü"', extra)
        if (pieces === null) continue
        const whole = Buffer.concat([piecesToBuffer(pieces), bytes.subarray(cut)])
        const expected = extra === '' ? { content: ['größe', 1] } : { resultType: 'complete', content: ['größe', 1] }
        expect(JSON.parse(whole.toString('utf8'))).toEqual({ jsonrpc: '2.0', id: 'ü', result: expected })
      }
    }
  })

  test('is taken once it holds the beginning of the result', () => {
    expect(rewriteHead(Buffer.from(text).subarray(0, 40), 7, '1', added)).not.toBeNull()
  })
})

describe('finding the id without parsing', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{}}', 7],
    ['{"jsonrpc":"2.0","id":9007199254740991,"result":{}}', 9_007_199_254_740_991],
    ['{"jsonrpc":"2.0","id":7,"error":{}}', 7],
    ['{"result":{},"jsonrpc":"2.0","id":7}', 7],
    ['{"result":{"id":8},"jsonrpc":"2.0","id":7}', 7],
    ['{"error":{},"jsonrpc":"2.0","id":123456}', 123_456],
  ])('works on %s', (text, id) => {
    expect(peekAnswerId(Buffer.from(text))).toBe(id)
  })

  test.each([
    '{"jsonrpc":"2.0","id":"7","result":{}}',
    '{"jsonrpc":"2.0","id":7,"method":"ping"}',
    '{"method":"ping","jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":7}}',
    '{"result":{"a":1,"id":7}}',
    '{"result":{},"jsonrpc":"2.0","meta":{"a":1,"id":7}}',
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":{"cut":',
    '{"id":7,"jsonrpc":"2.0","result":{}}',
    '{ "jsonrpc":"2.0","id":7,"result":{}}',
    '{',
    '',
  ])('leaves %j to the parser', (text) => {
    expect(peekAnswerId(Buffer.from(text))).toBeNull()
  })
})

describe('the answer of a modern server for a legacy client', () => {
  const toLegacy = (text: string) => {
    const pieces = rewriteModernAnswer(Buffer.from(text), 7, '1.0')
    return pieces === null ? null : piecesToBuffer(pieces).toString('utf8')
  }

  test.each([
    [
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","big":12345678901234567890,"a":1.0}}',
      '{"jsonrpc":"2.0","id":1.0,"result":{"big":12345678901234567890,"a":1.0}}',
    ],
    ['{"result":{"resultType":"complete"},"jsonrpc":"2.0","id":7}', '{"result":{},"jsonrpc":"2.0","id":1.0}'],
    ['{"result":{"a":{"resultType":"x"}},"id":7}', '{"result":{"a":{"resultType":"x"}},"id":1.0}'],
    [
      '{"id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"}},"a":1}}',
      '{"id":1.0,"result":{"a":1}}',
    ],
    [
      '{"id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{}, "own": 1.0}}}',
      '{"id":1.0,"result":{"_meta":{"own": 1.0}}}',
    ],
    ['{"id":7,"result":{"_meta":{"own":1}}}', '{"id":1.0,"result":{"_meta":{"own":1}}}'],
    ['{"id":7,"result":[1]}', '{"id":1.0,"result":[1]}'],
  ])('%s loses what only modern clients know', (text, expected) => {
    expect(toLegacy(text)).toBe(expected)
  })

  const modern = '"io.modelcontextprotocol/serverInfo":{"name":"größe"}'
  test.each([
    [
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","a":"LONG"}}',
      '{"jsonrpc":"2.0","id":1.0,"result":{"a":"LONG"}}',
    ],
    [
      `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","a":"LONG","_meta":{${modern},"ü":1E400}}}`,
      '{"jsonrpc":"2.0","id":1.0,"result":{"a":"LONG","_meta":{"ü":1E400}}}',
    ],
    [
      `{"result":{"ü":"漢","_meta":{${modern}},"a":"LONG","resultType":"complete","ö":1.0},"id":7}`,
      '{"result":{"ü":"漢","a":"LONG","ö":1.0},"id":1.0}',
    ],
    [
      '{"result":{"resultType":"complete","a":["LONG"],"_meta":{"a":1}},"id":7}',
      '{"result":{"a":["LONG"],"_meta":{"a":1}},"id":1.0}',
    ],
    ['{"id":7,"result":{"a":"LONG"}}', '{"id":1.0,"result":{"a":"LONG"}}'],
    [
      `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","a":"LONG","b":"\\"resultType\\""}}`,
      '{"jsonrpc":"2.0","id":1.0,"result":{"a":"LONG","b":"\\"resultType\\""}}',
    ],
  ])('%s keeps its bytes when it is large', (text, expected) => {
    const long = 'ä "quoted" \n 漢字🙂'.repeat(2000).replaceAll('"', '\\"').replaceAll('\n', '\\n')
    expect(toLegacy(text.replace('LONG', long))).toBe(expected.replace('LONG', long))
  })

  test('is refused when it is none', () => {
    expect(toLegacy('{"id":8,"result":{}}')).toBeNull()
    expect(toLegacy('{"id":7,"method":"ping"}')).toBeNull()
    expect(() => toLegacy('{"id":7,"result":{')).toThrow(SyntaxError)
  })
})
