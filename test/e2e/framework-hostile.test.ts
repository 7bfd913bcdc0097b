import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../fixtures/framework/hostile-server.ts', import.meta.url))
const flags = ['--conditions=herma-source', '--import', 'tsx']
const canary = 'canary-4f1c9e'
const token = 'token-71d0aa'
const env = { ...process.env, CANARY: canary, TOKEN: token }

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}
const initialize = {
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** Text that no client should send. Each is answered with an error, or not at all. */
const garbage = [
  '{',
  'null',
  '[]',
  '[1,2]',
  '{}',
  '"text"',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}}',
  '{"jsonrpc":"2.0","id":77,"result":{"never":"asked"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
  '{"jsonrpc":"2.0","id":2,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"constructor","arguments":{"__proto__":{"polluted":1}}}}',
  `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}}`,
  `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"bad://${'x'.repeat(200_000)}"}}`,
  '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"\\ud800":"\\u0000"}}}',
]

/** Requests that the server's own handlers fail on, in either era. */
const requests = [
  ...['throw', 'throw-undefined', 'circle', 'lost', 'seal'].map((name) => ({ method: 'tools/call', params: { name } })),
  { method: 'resources/read', params: { uri: 'bad://1' } },
  { method: 'resources/list', params: {} },
  { method: 'prompts/list', params: {} },
  { method: 'prompts/get', params: { name: 'bad' } },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'bad://{id}' }, argument: { name: 'id', value: '' } },
  },
]

test('a process on pipes whose standard error is closed outlives hostile clients and handlers', async () => {
  const child = spawn(process.execPath, [...flags, script], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  try {
    // Whoever starts a server need not read what it complains about.
    child.stderr.destroy()
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const write = (value: unknown) =>
      void child.stdin.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    const answered = (id: unknown) => text.split('\n').some((line) => line.includes(`"id":${JSON.stringify(id)}`))

    garbage.forEach(write)
    write(initialize)
    write({ ...initialize, id: 'again' })
    garbage.forEach(write)
    const ids = requests.flatMap(({ method, params }, index) => {
      write({ jsonrpc: '2.0', id: `legacy-${index}`, method, params })
      write({ jsonrpc: '2.0', id: `modern-${index}`, method, params: { ...params, _meta: modernMeta } })
      return [`legacy-${index}`, `modern-${index}`]
    })
    for (const id of ids) await expect.poll(() => answered(id), { timeout: 20_000 }).toBe(true)
    write({ jsonrpc: '2.0', id: 'end', method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } })
    await expect.poll(() => answered('end')).toBe(true)
    expect(text).toContain('a false')
    expect(text).not.toContain(canary)
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})

test('a process over HTTP outlives them too, and neither its token nor its secret comes back', async () => {
  const child = fork(script, ['--http'], { env, execArgv: flags, silent: true })
  try {
    let errors = ''
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    let seen = ''
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...headers,
        },
        signal: AbortSignal.timeout(20_000),
      })
      const text = await response.text()
      seen += JSON.stringify([...response.headers]) + text
      return { status: response.status, text, id: response.headers.get('mcp-session-id') }
    }

    for (const body of garbage) expect((await post(body)).status).toBeLessThan(500)
    const { id } = await post(JSON.stringify(initialize))
    const session = { 'mcp-session-id': String(id), 'mcp-protocol-version': '2025-11-25' }
    for (const body of garbage) expect((await post(body, session)).status).toBeLessThan(500)
    for (const { method, params } of requests) {
      const legacy = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), session)
      const target = 'name' in params ? params.name : 'uri' in params ? params.uri : undefined
      const modern = await post(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }),
        {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(target !== undefined && { 'mcp-name': target }),
        },
      )
      expect([legacy.text, modern.text].every((text) => text.includes('"jsonrpc"'))).toBe(true)
    }
    expect((await post(JSON.stringify(initialize), { authorization: 'Bearer wrong' })).status).toBe(401)
    await breakOff(url)
    const last = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } }
    expect((await post(JSON.stringify(last), session)).text).toContain('a false')
    expect(seen).not.toContain(canary)
    expect(seen + errors).not.toContain(token)
    expect(child.exitCode).toBe(null)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

/** Sockets that close halfway, say too little, or go away in the middle of a request. */
async function breakOff(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}'
  for (const text of [
    'POST',
    `${head}Content-Length: 1000\r\n\r\n{"jsonrpc"`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Content-Length: ${call.length}\r\n\r\n${call}`,
  ]) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.end(text)
    await sleep(20)
    socket.destroy()
  }
}
