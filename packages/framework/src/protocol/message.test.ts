import { isJSONRPCRequest } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { looksLikeRequest } from './message.ts'

const request = { jsonrpc: '2.0', id: 1, method: 'ping' }

test.each([
  request,
  { ...request, id: 'a' },
  { ...request, id: 2 ** 60 },
  { ...request, id: 1.5 },
  { ...request, id: null },
  { ...request, id: {} },
  { ...request, jsonrpc: '1.0' },
  { ...request, method: 7 },
  { ...request, extra: true },
  { ...request, params: undefined },
  { ...request, params: null },
  { ...request, params: [] },
  { ...request, params: {} },
  { ...request, params: { _meta: null } },
  { ...request, params: { _meta: [] } },
  { ...request, params: { _meta: { progressToken: 0 } } },
  { ...request, params: { _meta: { progressToken: 1.5 } } },
  { ...request, params: { _meta: { progressToken: {} } } },
  { ...request, params: { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } } },
  { ...request, params: { _meta: { 'io.modelcontextprotocol/related-task': 7 } } },
  { jsonrpc: '2.0', method: 'ping' },
  { jsonrpc: '2.0', id: 1, result: {} },
  [],
  null,
  'ping',
])('%j is a request exactly when the SDK takes it for one', (value) => {
  expect(looksLikeRequest(value)).toBe(isJSONRPCRequest(value))
})
