import type { IncomingHttpHeaders } from 'node:http'
import type { HubError } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { metaKeys, modernRevision, operator, revisions, type Params, type RequestMessage } from '../../wire/index.ts'
import { toModernCaller, validateModern } from './modern-request.ts'

const meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: {} }

function request(method: string, params: Params = {}): RequestMessage {
  return { jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }
}

function headersOf(message: RequestMessage, more: IncomingHttpHeaders = {}): IncomingHttpHeaders {
  return { 'mcp-protocol-version': modernRevision, 'mcp-method': message.method, ...more }
}

function refusal(message: RequestMessage, headers: IncomingHttpHeaders): HubError | null {
  try {
    validateModern(message, headers)
    return null
  } catch (error) {
    return error as HubError
  }
}

describe('a modern request', () => {
  test.each([
    ['server/discover', {}, {}],
    ['tools/list', {}, { 'mcp-name': 'not looked at' }],
    ['tools/call', { name: 'echo' }, { 'mcp-name': 'echo' }],
    ['tools/call', { name: 'größe' }, { 'mcp-name': '=?base64?Z3LDtsOfZQ==?=' }],
    ['tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw==?=' }],
    ['tools/call', { name: '=?base64?ZWNobw==?=' }, { 'mcp-name': '=?base64?PT9iYXNlNjQ/WldOb2J3PT0/PQ==?=' }],
    ['prompts/get', { name: 'ask' }, { 'mcp-name': 'ask' }],
    ['resources/read', { uri: 'file:///a b' }, { 'mcp-name': 'file:///a b' }],
    // Refused by the method itself, which can say what it needs.
    ['tools/call', {}, {}],
    ['tools/call', { name: 5 }, {}],
  ])('%s with %j is good with the headers %j', (method, params, headers) => {
    const message = request(method, params)
    expect(refusal(message, headersOf(message, headers))).toBeNull()
  })

  test.each([
    ['no params', undefined],
    ['no metadata', {}],
    ['metadata that is a list', { _meta: [] }],
    ['no revision', { _meta: { [metaKeys.clientCapabilities]: {} } }],
    ['a revision that is a number', { _meta: { ...meta, [metaKeys.revision]: 20_260_728 } }],
    ['no capabilities', { _meta: { [metaKeys.revision]: modernRevision } }],
    ['capabilities that are a list', { _meta: { ...meta, [metaKeys.clientCapabilities]: [] } }],
    ['a log level that does not exist', { _meta: { ...meta, [metaKeys.logLevel]: 'loud' } }],
  ])('with %s is refused as invalid', (_, params) => {
    const message: RequestMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list', ...(params && { params }) }
    expect(refusal(message, headersOf(message))).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test.each(['2027-01-01', '2026-07-29', 'draft', '__proto__'])(
    'of revision %s is told which ones there are',
    (revision) => {
      const message = request('tools/list', { _meta: { ...meta, [metaKeys.revision]: revision } })
      expect(refusal(message, { ...headersOf(message), 'mcp-protocol-version': revision })).toMatchObject({
        code: 'REVISION_UNSUPPORTED',
        data: { supported: [...revisions], requested: revision },
      })
    },
  )

  test.each(['2027-01-01', 'banana'])(
    'that names the unknown revision %s in its header only is told the same',
    (revision) => {
      const message: RequestMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      expect(refusal(message, { 'mcp-protocol-version': revision })).toMatchObject({
        code: 'REVISION_UNSUPPORTED',
        data: { supported: [...revisions], requested: revision },
      })
    },
  )

  test.each([
    ['MCP-Protocol-Version is missing', 'tools/list', {}, { 'mcp-protocol-version': undefined }],
    ['MCP-Protocol-Version is "2025-11-25"', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
    ['Mcp-Method is missing', 'tools/list', {}, { 'mcp-method': undefined }],
    ['Mcp-Method is "tools/call"', 'tools/list', {}, { 'mcp-method': 'tools/call' }],
    ['Mcp-Method is "TOOLS/LIST"', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }],
    ['Mcp-Method is ""', 'tools/list', {}, { 'mcp-method': '' }],
    ['Mcp-Name is missing', 'tools/call', { name: 'echo' }, {}],
    ['Mcp-Name is "other"', 'tools/call', { name: 'echo' }, { 'mcp-name': 'other' }],
    ['Mcp-Name is "Echo"', 'tools/call', { name: 'echo' }, { 'mcp-name': 'Echo' }],
    ['Mcp-Name is ""', 'prompts/get', { name: 'ask' }, { 'mcp-name': '' }],
    ['Mcp-Name is', 'resources/read', { uri: 'file:///a' }, { 'mcp-name': 'file:///b' }],
    ['Mcp-Name is', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?b3RoZXI=?=' }],
    ['Mcp-Name is', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['Mcp-Name is', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?***?=' }],
  ])('is refused, since %s', (problem, method, params, headers) => {
    const message = request(method, params)
    const error = refusal(message, headersOf(message, headers))
    expect(error).toMatchObject({ code: 'HEADER_MISMATCH' })
    expect(error!.message).toContain(problem)
  })
})

test('a modern caller is what its request says of it', () => {
  const own = { ...meta, [metaKeys.clientInfo]: { name: 'c' }, [metaKeys.logLevel]: 'error' }
  expect(toModernCaller(request('tools/list', { _meta: own }), { server: 'work', principal: operator })).toEqual({
    principal: 'operator',
    server: 'work',
    era: 'modern',
    revision: modernRevision,
    clientInfo: { name: 'c' },
    capabilities: {},
    connectionId: null,
    logLevel: 'error',
  })
})
