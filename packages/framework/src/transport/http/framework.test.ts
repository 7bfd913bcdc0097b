import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { sample } from './testing/sample.ts'
import { callAdd, EventReader, initialize, listenOn, post } from './testing/wire.ts'

/** Serves a listener of node's on a free port. */
async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    at: (path: string) => new URL(path, `http://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A call, progress, and a legacy connection with its stream: all that a framework could get in the way of. */
async function useAll(url: URL, { app }: ReturnType<typeof sample>): Promise<string[]> {
  const texts: string[] = []
  for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const) {
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(url))
    const seen: number[] = []
    const { content } = await client.callTool(
      { name: 'count', arguments: { to: 2 } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    )
    texts.push(`${seen.join()} ${JSON.stringify(content)}`)
    await client.close()
  }
  const opened = await initialize(url)
  const events = new EventReader(await listenOn(url, opened))
  app.notify.toolsChanged()
  texts.push(String((await events.message())?.value['method']))
  await events.cut()
  texts.push(String((await fetch(url, { method: 'DELETE', headers: opened.headers })).status))
  return texts
}

const counted = '1,2 [{"type":"text","text":"counted"}]'
const all = [counted, counted, 'notifications/tools/list_changed', '200']

test('it works in Express, with bodies parsed before or not', async () => {
  const parts = sample()
  const http = parts.app.http()
  const plain = express()
  plain.all('/mcp', (request, response) => http.node(request, response))
  const parsing = express()
  parsing.use(express.json())
  parsing.use('/mcp', (request, response) => http.node(request, response))
  await using one = await serve(plain)
  expect(await useAll(one.at('/mcp'), parts)).toEqual(all)
  await using two = await serve(parsing)
  expect(await useAll(two.at('/mcp'), parts)).toEqual(all)
  const deep = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: 1 }).replace(
    '1}',
    `${'['.repeat(1200)}${']'.repeat(1200)}}`,
  )
  expect((await post(two.at('/mcp'), deep)).status).toBe(400)
  await http.close()
})

test('it works in Fastify, given the body that it parsed', async () => {
  const parts = sample()
  const http = parts.app.http()
  const app = fastify({ forceCloseConnections: true })
  app.all('/mcp', async (request, reply) => {
    reply.hijack()
    await http.node(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  expect(await useAll(new URL(`http://127.0.0.1:${port}/mcp`), parts)).toEqual(all)
  await http.close()
  await app.close()
})

test('who forgets to hand over a parsed body is told so', async () => {
  const http = sample().app.http()
  const app = fastify({ forceCloseConnections: true })
  app.all('/mcp', async (request, reply) => {
    reply.hijack()
    await http.node(request.raw, reply.raw)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const response = await callAdd(new URL(`http://127.0.0.1:${port}/mcp`))
  expect(response.status).toBe(500)
  expect(await response.text()).toContain('request.body')
  await app.close()
})

test('it works in Hono and wherever else a Request comes in', async () => {
  const parts = sample()
  const http = parts.app.http()
  const app = new Hono().all('/mcp', (context) => http.fetch(context.req.raw))
  await using served = await serve(getRequestListener(app.fetch))
  expect(await useAll(served.at('/mcp'), parts)).toEqual(all)
  await http.close()
})
