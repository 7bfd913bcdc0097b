import { expect, test } from 'vitest'
import { codeOverview } from './code-overview.ts'
import { createModeCatalog } from './testing/mode-setting.ts'
import { estimateTokens } from '../core/token-cost.ts'

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = Array.from({ length: 40 }, (_, index) => ({
  name: `tool_${index}`,
  server: `server_${index % 8}`,
  description: 'Does something with a path that is given.',
  inputSchema,
}))
const catalog = createModeCatalog(tools)

test('all tools are declared when they fit', () => {
  const overview = codeOverview(catalog, 5000)
  expect(overview).toContain('declare const tools: {')
  expect(overview.match(/Promise</g)).toHaveLength(40)
})

test('else they are named by server', () => {
  const overview = codeOverview(catalog, 400)
  expect(overview).not.toContain('Promise<')
  expect(overview).toContain('- server_3: tool_3, tool_11, tool_19, tool_27, tool_35')
})

test('else only the servers are named, as many as fit', () => {
  expect(codeOverview(catalog, 100)).toContain('server_0 (5), server_1 (5)')
  expect(codeOverview(catalog, 20)).toMatch(/, and \d more servers\.$/)
})

test.each([20, 100, 400, 2000])('%i tokens are kept to', (budget) => {
  expect(estimateTokens(codeOverview(catalog, budget))).toBeLessThan(budget + 40)
})

test('nothing is said of nothing', () => {
  expect(codeOverview(createModeCatalog([]), 100)).toBe('There are no tools now.')
})
