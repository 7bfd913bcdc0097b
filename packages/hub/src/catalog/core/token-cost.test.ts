import { expect, test } from 'vitest'
import { estimateTokens, tokenCost } from './token-cost.ts'

// Counted with o200k_base.
test.each([
  ['Read the complete contents of a file from the file system as text.', 14],
  ['{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}', 19],
  ['读取文件的内容并返回文本。支持多种编码。', 13],
  ['Читает содержимое файла и возвращает текст.', 11],
])('%j is about %i tokens', (text, tokens) => {
  expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThan(0.2)
})

test('nothing costs nothing', () => {
  expect(estimateTokens('')).toBe(0)
})

test('only what a model is shown is counted', () => {
  const shown = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }
  const hidden = {
    title: 'Read',
    annotations: { readOnlyHint: true },
    outputSchema: { type: 'object' },
    _meta: { a: 1 },
  }
  expect(tokenCost({ ...shown, ...hidden })).toBe(tokenCost(shown))
  expect(tokenCost(shown)).toBeGreaterThan(10)
})
