import { expect, test } from 'vitest'
import { onlyNames, onlyTheName, sampledText, withoutMore } from './trim-result.ts'

const texts = (...lines: string[]) => ({ content: lines.map((text) => ({ type: 'text', text })) })

test('of a list of tools the names and descriptions stay', () => {
  const tools = [{ name: 'echo', description: 'Says the same.', inputSchema: { type: 'object' } }, { name: 'bare' }]
  const shown = [
    { name: 'echo', description: 'Says the same.' },
    { name: 'bare', description: '' },
  ]
  expect(onlyNames({ tools })).toEqual({ tools: shown })
})

test('of an answered question the name and a failure stay', () => {
  const answered = texts('Thanks.', 'User inputs:\n- Name: Ada\n- Integer: 42', '\nRaw result: {}')
  expect(onlyTheName(answered)).toEqual(texts('Thanks.', 'User inputs:\n- Name: Ada'))
  expect(onlyTheName({ ...texts('MCP error'), isError: true })).toEqual({ ...texts('MCP error'), isError: true })
})

test('a completion that does not say whether there is more has no more', () => {
  expect(withoutMore({ completion: { values: [] } })).toEqual({ completion: { values: [], hasMore: false } })
  expect(withoutMore({ completion: { values: [], hasMore: true } })).toEqual({
    completion: { values: [], hasMore: true },
  })
  expect(withoutMore({ values: [], hasMore: true })).toEqual({ values: [], hasMore: true })
})

test('of a sampling the content stays, however its JSON is ordered', () => {
  const content = { type: 'text', text: 'Ada.' }
  const first = texts(`LLM sampling result: \n${JSON.stringify({ model: 'm', content }, null, 2)}`)
  const second = texts(`LLM sampling result: \n${JSON.stringify({ content, model: 'm' }, null, 2)}`)
  expect(sampledText(first)).toEqual(texts('Ada.'))
  expect(sampledText(second)).toEqual(texts('Ada.'))
  expect(sampledText(texts('MCP error'))).toEqual(texts('MCP error'))
})
