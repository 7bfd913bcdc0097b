import { expect, test } from 'vitest'

import { metaKeys } from '../wire/index.ts'
import { modernHeaders } from './modern-headers.ts'

const _meta = { [metaKeys.revision]: '2026-07-28' }
const request = (method: string, params: Record<string, unknown> = {}) =>
  ({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }) as const

test.each([
  ['tools/call', { name: 'echo' }, 'echo'],
  ['prompts/get', { name: 'hello' }, 'hello'],
  ['resources/read', { uri: 'file:///ä' }, '=?base64?ZmlsZTovLy/DpA==?='],
  ['tasks/get', { taskId: 't-1' }, 't-1'],
  ['tools/list', { name: 'not its name' }, undefined],
])('%s is named by its own param', (method, params, name) => {
  expect(modernHeaders(request(method, params))).toEqual({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  })
})

test('parameters are mirrored, and what is no header value is encoded', () => {
  const mirrored = [{ header: 'mcp-param-region', path: ['region'] }]
  const call = request('tools/call', { name: 'a\nb', arguments: { region: 'Zürich' } })
  expect(modernHeaders(call, mirrored)).toMatchObject({
    'mcp-name': '=?base64?YQpi?=',
    'mcp-param-region': '=?base64?WsO8cmljaA==?=',
  })
})
