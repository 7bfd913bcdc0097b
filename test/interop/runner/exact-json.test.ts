import { expect, test } from 'vitest'
import { exactInteger, parseExact, stringifyExact } from './exact-json.ts'

test('a long integer is written as the number it is', () => {
  expect(stringifyExact({ id: exactInteger('1189234567890123457'), text: '"#1189234567890123457"' })).toBe(
    '{"id":1189234567890123457,"text":"\\"#1189234567890123457\\""}',
  )
})

test('a long integer is read without a loss, and one in a text stays there', () => {
  const text = '{"a":[-1189234567890123457, 7],"b":"{\\"id\\": 1189234567890123457}","c":0.50000000000000000000}'
  expect(parseExact(text)).toEqual({
    a: ['#-1189234567890123457', 7],
    b: '{"id": 1189234567890123457}',
    c: 0.5,
  })
})
