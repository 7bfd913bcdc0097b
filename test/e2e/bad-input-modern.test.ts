import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { modernMeta, modernRevision, RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const revisionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

let hub: TestHub
let client: RawClient

beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('good', [program])] })
  client = new RawClient(hub.endpoint)
})

afterAll(() => hub.stop())

afterEach(expectServing)

async function expectServing(): Promise<void> {
  const { message } = await client.callTool('good__echo', { text: 'still here' })
  expect(message.result?.content).toEqual([{ type: 'text', text: 'still here' }])
}

describe('headers that do not agree with the body are refused with 400 and -32020:', () => {
  test.each([
    ['no revision', 'tools/list', {}, { 'mcp-protocol-version': undefined }, 'MCP-Protocol-Version is missing'],
    ['another revision', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 'MCP-Protocol-Version is'],
    ['no method', 'tools/list', {}, { 'mcp-method': undefined }, 'Mcp-Method is missing'],
    ['another method', 'tools/list', {}, { 'mcp-method': 'prompts/list' }, 'Mcp-Method is "prompts/list"'],
    ['no tool', 'tools/call', { name: 'good__echo' }, { 'mcp-name': undefined }, 'Mcp-Name is missing'],
    ['another tool', 'tools/call', { name: 'good__echo' }, { 'mcp-name': 'x' }, 'Mcp-Name is "x"'],
    ['another prompt', 'prompts/get', { name: 'good__greet' }, { 'mcp-name': 'x' }, 'Mcp-Name is "x"'],
    ['another resource', 'resources/read', { uri: 'demo://one' }, { 'mcp-name': 'demo://two' }, 'Mcp-Name is'],
    ['another tool in Base64', 'tools/call', { name: 'a' }, { 'mcp-name': '=?base64?Yg==?=' }, 'Mcp-Name is'],
    ['broken Base64', 'tools/call', { name: 'a' }, { 'mcp-name': '=?base64?Y?=' }, 'Mcp-Name is'],
  ])('%s', async (_, method, params, headers, problem) => {
    const { status, message } = await client.modern(method, params, headers)
    expect(status).toBe(400)
    expect(message.error?.code).toBe(-32_020)
    expect(message.error?.message).toContain(problem)
  })

  test.each([
    ['no parameter', { region: 'eu' }, {}, 'mcp-param-region is missing'],
    ['another parameter', { region: 'eu' }, { 'mcp-param-region': 'us' }, 'does not match the argument region'],
    ['a parameter that is no argument', {}, { 'mcp-param-region': 'eu' }, 'is not among the arguments'],
    ['broken Base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }, 'must be Base64-encoded'],
  ])('%s of a tool that wants one in a header', async (_, args, headers, problem) => {
    const { status, message } = await client.callTool('good__region', args, headers)
    expect(status).toBe(400)
    expect(message.error?.code).toBe(-32_020)
    expect(message.error?.message).toContain(problem)
  })
})

describe('headers that agree are accepted:', () => {
  test('a name in Base64', async () => {
    const headers = { 'mcp-name': '=?base64?Z29vZF9fZWNobw==?=' }
    const { message } = await client.callTool('good__echo', { text: 'a' }, headers)
    expect(message.result?.content?.[0]?.text).toBe('a')
  })

  test.each([
    ['plain', 'eu', 'eu'],
    ['in Base64', 'größe', '=?base64?Z3LDtsOfZQ==?='],
  ])('a parameter %s', async (_, region, header) => {
    const { message } = await client.callTool('good__region', { region }, { 'mcp-param-region': header })
    expect(message.result?.content?.[0]?.text).toBe(`region ${region}`)
  })
})

describe('metadata', () => {
  test.each([
    ['none', { _meta: undefined }],
    ['null', { _meta: null }],
    ['a list', { _meta: [] }],
    ['empty', { _meta: {} }],
    ['without capabilities', { _meta: { [revisionKey]: modernRevision } }],
    ['with capabilities of the wrong form', { _meta: { ...modernMeta, [capabilitiesKey]: 'all' } }],
    ['with an unknown log level', { _meta: { ...modernMeta, 'io.modelcontextprotocol/logLevel': 'loud' } }],
  ])('%s is refused with 400 and -32602', async (_, params) => {
    const { status, message } = await client.modern('tools/list', params)
    expect(status).toBe(400)
    expect(message).toMatchObject({ id: expect.any(Number), error: { code: -32_602 } })
  })

  test.each(['2027-01-01', '2026-07-27x', 'draft', '__proto__'])(
    'of the revision %s is refused with 400, -32022 and the supported ones',
    async (revision) => {
      const params = { _meta: { ...modernMeta, [revisionKey]: revision } }
      const { status, message } = await client.modern('tools/list', params, { 'mcp-protocol-version': revision })
      expect(status).toBe(400)
      expect(message.error).toMatchObject({ code: -32_022, data: { supported: revisions, requested: revision } })
    },
  )

  test('of a legacy revision asks for a connection, as a legacy client would need one', async () => {
    const params = { _meta: { ...modernMeta, [revisionKey]: '2025-11-25' } }
    const { status, message } = await client.modern('tools/list', params, { 'mcp-protocol-version': '2025-11-25' })
    expect(status).toBe(400)
    expect(message.error?.message).toContain('initialize')
  })
})

describe('requests', () => {
  test.each([
    ['tools/call', { name: 'unknown' }, 200, -32_602, 'Unknown tool: "unknown"'],
    ['tools/call', { name: '__proto__' }, 200, -32_602, 'Unknown tool: "__proto__"'],
    ['tools/call', {}, 200, -32_602, 'Unknown tool'],
    ['prompts/get', { name: 'constructor' }, 200, -32_602, 'Unknown prompt: "constructor"'],
    // Earlier revisions say -32002.
    ['resources/read', { uri: 'demo://unknown' }, 200, -32_602, 'Resource not found'],
    ['tools/list', { cursor: 'toString' }, 200, -32_602, 'cursor'],
    ['completion/complete', { ref: {} }, 200, -32_602, 'reference'],
    ['unknown/method', {}, 404, -32_601, 'Method not found: unknown/method'],
    ['__proto__', {}, 404, -32_601, 'Method not found: __proto__'],
    ['initialize', { protocolVersion: '2025-11-25' }, 404, -32_601, 'Method not found: initialize'],
    ['ping', {}, 404, -32_601, 'Method not found: ping'],
    ['logging/setLevel', { level: 'info' }, 404, -32_601, 'Method not found: logging/setLevel'],
    ['resources/subscribe', { uri: 'demo://one' }, 404, -32_601, 'Method not found: resources/subscribe'],
  ])('%s with %j are answered %i and %i', async (method, params, expected, code, text) => {
    const { status, message } = await client.modern(method, params)
    expect(status).toBe(expected)
    expect(message.error?.code).toBe(code)
    expect(message.error?.message).toContain(text)
  })

  test('with arguments that the server refuses get the error of the server', async () => {
    const { status, message } = await client.callTool('good__check', { n: 'one' })
    expect(status).toBe(200)
    expect(message.error).toEqual({ code: -32_602, message: 'Invalid arguments: n must be a number' })
  })

  test('that are responses are refused', async () => {
    const headers = { 'mcp-protocol-version': modernRevision }
    const { status, message } = await client.send({ jsonrpc: '2.0', id: 1, result: {} }, headers)
    expect(status).toBe(400)
    expect(message.error?.code).toBe(-32_600)
  })

  test.each(['{', '[]', '{"jsonrpc":"1.0"}'])('that are no JSON-RPC are refused: %s', async (body) => {
    const { status, message } = await client.send(body, { 'mcp-protocol-version': modernRevision })
    expect(status).toBe(400)
    expect([-32_700, -32_600]).toContain(message.error?.code)
  })

  test.each(['"größe 😀"', '-1', '"__proto__"'])('with the id %s get it back as it was', async (id) => {
    for (const name of ['good__echo', 'good__check', 'unknown']) {
      const params = JSON.stringify({ name, arguments: { text: 'ü' }, _meta: modernMeta })
      const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
      const headers = { 'mcp-protocol-version': modernRevision, 'mcp-method': 'tools/call', 'mcp-name': name }
      expect((await client.send(body, headers)).message.id).toBe(JSON.parse(id))
    }
  })

  test('to listen to too many resources are refused', async () => {
    const resourceSubscriptions = Array.from({ length: 1001 }, (_, index) => `demo://${index}`)
    const { message } = await client.modern('subscriptions/listen', { notifications: { resourceSubscriptions } })
    expect(message.error).toMatchObject({ code: -32_602, message: expect.stringContaining('1000 resources') })
  })

  test('to listen to nothing sensible are opened all the same', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 9,
      method: 'subscriptions/listen',
      params: { notifications: 'x', _meta: modernMeta },
    }
    const controller = new AbortController()
    const response = await fetch(hub.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernRevision,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
    const { value } = await response.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toContain('"notifications":{}')
    controller.abort()
  })
})
