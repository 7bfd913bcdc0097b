import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'

import { LineOutput } from './line-output.ts'

test('a message is one line, whatever line breaks its server wrote between the tokens', () => {
  const stream = new PassThrough()
  const output = new LineOutput(stream)
  output.write(Buffer.from('{\r\n  "text": "a\\nb"\n}'))
  output.send({ text: 'c\nd' })
  expect(String(stream.read())).toBe('{    "text": "a\\nb" }\n{"text":"c\\nd"}\n')
})

test('a client that does not read is waited for, and one that left is not', async () => {
  const stream = new PassThrough()
  const output = new LineOutput(stream)
  output.write('x'.repeat(2 * 1024 * 1024))
  expect(output.isFull).toBe(true)
  const drained = output.drained()
  stream.resume()
  await drained
  expect(output.isFull).toBe(false)
  output.write('y'.repeat(2 * 1024 * 1024))
  stream.pause()
  output.write('y'.repeat(2 * 1024 * 1024))
  stream.destroy(new Error('EPIPE'))
  await Promise.all([output.drained(), output.flushed(), output.closed])
  output.write('nobody is there')
})
