import { describe, expect, test } from 'vitest'
import { maxSecretLength, OutputHead, OutputTail } from './captured-output.ts'

const secret = 'hunter2'
const redact = (text: string) => text.replaceAll(secret, '••••')

describe('the beginning', () => {
  test('output up to the limit is kept whole', () => {
    const head = new OutputHead(6)
    for (const chunk of ['abc', 'def']) head.add(Buffer.from(chunk))
    expect([head.toBuffer().toString(), head.isOver]).toEqual(['abcdef', false])
  })

  test('one byte more is too much, and nothing is added any more', () => {
    const head = new OutputHead(6)
    for (const chunk of ['abc', 'defg', 'h']) head.add(Buffer.from(chunk))
    expect([head.toBuffer().toString(), head.isOver]).toEqual(['abc', true])
  })
})

describe('the end', () => {
  test('output up to the limit is kept whole, with secrets masked', () => {
    const tail = new OutputTail(20)
    for (const chunk of ['a hunt', 'er2 b']) tail.add(Buffer.from(chunk))
    expect(tail.toText(redact)).toBe('a •••• b')
  })

  test('of longer output the end is kept, in whatever pieces it comes', () => {
    const text = 'x'.repeat(3 * maxSecretLength) + 'the end'
    for (const size of [1000, 7, 1_000_000]) {
      const tail = new OutputTail(maxSecretLength + 10)
      for (let at = 0; at < text.length; at += size) tail.add(Buffer.from(text.slice(at, at + size)))
      expect(tail.toText(redact)).toBe('xxxthe end')
    }
  })

  test('a secret that is cut in half is not told', () => {
    const tail = new OutputTail(maxSecretLength + 10)
    // The limit falls into the secret, and masking the others makes the text shorter.
    tail.add(Buffer.from(secret + secret.repeat(1000).slice(0, maxSecretLength + 3) + ' the end'))
    expect(tail.toText(redact)).not.toMatch(/unter2|nter2|ter2/)
  })
})
