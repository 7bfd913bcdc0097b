import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { serveHttp } from '../downstream/serve-http.ts'
import type { RpcMessage } from '../wire/protocol.ts'
import { matchTools } from './open-workers.ts'
import { runLoad, type LoadJob } from './run-load.ts'

const job: LoadJob = {
  endpoints: [],
  dialect: 'legacy',
  operation: 'echo',
  concurrency: 4,
  payloadBytes: 10_000,
  toolCount: 3,
  warmMs: 20,
  measureMs: 100,
  minCalls: 1,
  timeoutMs: 5000,
  processId: process.pid,
}

test.each([
  { operation: 'echo', dialect: 'legacy' },
  { operation: 'payload', dialect: 'modern' },
  { operation: 'list', dialect: 'modern' },
] as const)('a correct server passes under $operation load of $dialect clients', async ({ operation, dialect }) => {
  const servers = await Promise.all([serveHttp(3), serveHttp(3)])
  try {
    const endpoints = servers.map(({ url }) => ({ kind: 'http' as const, url }))
    const result = await runLoad({ ...job, endpoints, operation, dialect })
    expect(result.failureReasons).toEqual([])
    expect(result.calls).toBeGreaterThan(0)
    expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms)
    expect(result.peakRssMb).toBeGreaterThan(0)
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
})

test('a gateway that mixes up answers is found out', async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as RpcMessage
      const tools = [{ name: 'echo', inputSchema: {} }]
      const result = method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'hello 9 9' }] }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const endpoints = [{ kind: 'http' as const, url: `http://127.0.0.1:${port}/mcp` }]
    const result = await runLoad({ ...job, endpoints, dialect: 'modern', toolCount: 1, measureMs: 1000 })
    expect(result.calls).toBe(0)
    expect(result.failures).toBeGreaterThan(0)
    expect(result.failureReasons[0]).toMatch(/wrong text/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a target that does not list every tool is not measured', async () => {
  const server = await serveHttp(2)
  try {
    const run = runLoad({ ...job, endpoints: [{ kind: 'http', url: server.url }] })
    await expect(run).rejects.toThrow('2 tools listed instead of 3')
  } finally {
    await server.close()
  }
})

test('tools are found under the names that gateways give them', () => {
  expect(matchTools(['echo', 'payload'], 'echo')).toEqual(['echo'])
  expect(matchTools(['d0__echo', 'd0__payload', 'd1__echo'], 'echo')).toEqual(['d0__echo', 'd1__echo'])
  expect(matchTools(['d0_echo', 'd0_reecho'], 'echo')).toEqual(['d0_echo'])
  expect(() => matchTools(['reecho'], 'echo')).toThrow(/no tool named like 'echo'/)
})
