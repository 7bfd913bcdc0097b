import { expect, test } from 'vitest'
import { AnswerTail, withoutModernMeta } from './answer-tail.ts'

const serverInfo = '"io.modelcontextprotocol/serverInfo":{"name":"ünï","version":"1"}'

test.each([
  ['the whole of it', `"a":1,"_meta":{${serverInfo}}}}`, { a: 1 }],
  ['with space around', `"a":1,"_meta":{ ${serverInfo} } } }\n`, { a: 1 }],
  ['what is the server’s own stays', `"a":1,"_meta":{"mine":"é😀",${serverInfo}}}}`, { a: 1, _meta: { mine: 'é😀' } }],
  ['nothing but its own', '"a":1,"_meta":{"mine":2}}}', { a: 1, _meta: { mine: 2 } }],
  [
    'that of a part of the result',
    `"a":{"x":1,"_meta":{${serverInfo}}}}}`,
    { a: { x: 1, _meta: JSON.parse(`{${serverInfo}}`) } },
  ],
  ['in a text', `"a":"x,\\"_meta\\":{\\"b\\":1}}}"}}`, { a: 'x,"_meta":{"b":1}}}' }],
  ['none', '"a":1}}', { a: 1 }],
])('modern meta at the end of a result: %s', (_, end, result) => {
  const before = Buffer.from(end)
  const after = withoutModernMeta(before)
  expect(after.length).toBe(before.length)
  expect(JSON.parse(`{"result":{${after.toString('utf8')}`)).toEqual({ result })
})

test('a text that is cut off is left as it is', () => {
  const text = `"a":1,"_meta":{${serverInfo}`
  expect(withoutModernMeta(Buffer.from(text)).toString('utf8')).toBe(text)
})

test.each([1, 100, 4095, 4096, 4097, 5000, 9000, 100_000])('nothing is lost in pieces of %i bytes', (size) => {
  const text = `{"big":"${'größe '.repeat(3000)}","_meta":{${serverInfo}}}`
  const whole = Buffer.from(`{"result":${text}}`)
  const tail = new AnswerTail(whole.length)
  const parts: Buffer[] = []
  for (let from = 0; from < whole.length; from += size) parts.push(...tail.push(whole.subarray(from, from + size)))
  const all = Buffer.concat(parts)
  expect(all.length).toBe(whole.length)
  expect(JSON.parse(all.toString('utf8'))).toEqual({ result: { big: 'größe '.repeat(3000) } })
})
