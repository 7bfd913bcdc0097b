import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { server, serverOf } from '../server/app.ts'
import { PipeClient, textOf } from '../server/testing/pipe-client.ts'
import { on, takeOverErrors } from '../telemetry/events.ts'

const info = { name: 'legacy', version: '1.0.0' }
const initialize = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

/** A server that takes its time to let clients in. */
function slowToOpen() {
  const inits: (() => void)[] = []
  const served = serverOf<undefined>({
    serverInfo: () => info,
    init: () => new Promise((resolve) => inits.push(() => resolve(undefined))),
    handleRequest: () => ['reply', {}],
  })
  return { served, inits }
}

test('a second initialize waits for the first and is refused', async () => {
  const { served, inits } = slowToOpen()
  await using client = await PipeClient.silent(served)
  client.write(initialize(1))
  client.write(initialize(2))
  await expect.poll(() => inits.length).toBe(1)
  inits[0]!()
  expect((await client.until(({ id }) => id === 1)).result).toMatchObject({ protocolVersion: '2025-11-25' })
  expect((await client.until(({ id }) => id === 2)).error?.message).toMatch(/open already/)
  expect(inits.length).toBe(1)
  expect(served.connections.size).toBe(1)
})

test('a client that leaves while it is let in leaves nothing behind', async () => {
  const { served, inits } = slowToOpen()
  const client = await PipeClient.silent(served)
  client.write(initialize(1))
  await expect.poll(() => inits.length).toBe(1)
  await client[Symbol.asyncDispose]()
  inits[0]!()
  await sleep(5)
  expect(served.connections.size).toBe(0)
  expect(client.heard).toEqual([])
})

test('an answer that nobody waits for is dropped, and what is in it is written nowhere', async () => {
  const errors: unknown[] = []
  const ends = [takeOverErrors(), on('mcp.error', ({ error }) => errors.push(error))]
  const app = server(info).tool('ask', {}, async (_, { elicit }) => {
    const answer = await elicit('password', { message: 'Password?', schema: z.object({ word: z.string() }) })
    return answer.action
  })
  await using client = await PipeClient.open(app, 'legacy')
  const answering = client.call('ask')
  const question = await client.until(({ method }) => method === 'elicitation/create')
  const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'hunter2' } } }
  client.write(answer)
  client.write(answer)
  client.write({ ...answer, id: 'never asked' })
  expect(textOf(await answering)).toBe('accept')
  await client.request('ping')
  expect(errors).toEqual([])
  for (const end of ends) end()
})

test('a log level that is none is refused in words', async () => {
  await using client = await PipeClient.open(server(info), 'legacy')
  const { error } = await client.request('logging/setLevel', { level: 'loud' })
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("'level'") as string })
})
