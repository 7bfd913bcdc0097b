import { expect, test } from 'vitest'
import { onlyNames, sampledText, withoutRawAnswer } from './trim-result.ts'

const texts = (...lines: string[]) => ({ content: lines.map((text) => ({ type: 'text', text })) })

test('of a list of tools the names and descriptions stay', () => {
  const tools = [{ name: 'echo', description: 'Says the same.', inputSchema: { type: 'object' } }, { name: 'bare' }]
  expect(onlyNames({ tools })).toEqual({ tools: [{ name: 'echo', description: 'Says the same.' }, { name: 'bare' }] })
})

test('of an answered question the raw answer goes and a failure stays', () => {
  expect(withoutRawAnswer(texts('Thanks.', '\nRaw result: {}'))).toEqual(texts('Thanks.'))
  expect(withoutRawAnswer({ ...texts('MCP error'), isError: true })).toEqual({ ...texts('MCP error'), isError: true })
})

test('of a sampling the content stays, however its JSON is ordered', () => {
  const content = { type: 'text', text: 'Ada.' }
  const first = texts(`LLM sampling result: \n${JSON.stringify({ model: 'm', content }, null, 2)}`)
  const second = texts(`LLM sampling result: \n${JSON.stringify({ content, model: 'm' }, null, 2)}`)
  expect(sampledText(first)).toEqual(texts('Ada.'))
  expect(sampledText(second)).toEqual(texts('Ada.'))
  expect(sampledText(texts('MCP error'))).toEqual(texts('MCP error'))
})
