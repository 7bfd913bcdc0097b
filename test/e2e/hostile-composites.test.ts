import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inputOf, ModernCaller } from '../fixtures/caller/modern-caller.ts'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { createScratch, readJournal, scriptedConnector } from '../fixtures/scripted-connector.ts'
import { startCatalogHub } from './start-catalog-hub.ts'
import { stdioConnector, waitFor } from './start-test-hub.ts'
import { textOf, WireClient } from './wire-client.ts'

const askingProgram = fileURLToPath(new URL('../fixtures/catalog/asking-server.mjs', import.meta.url))
const asking = stdioConnector('asking', [askingProgram])

const aggregation = (name: string, server: string | undefined, tool: string, rest: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { operation: { type: 'string' } } },
  operations: [{ value: 'go', ...(server !== undefined && { downstreamServer: server }), downstreamTool: tool }],
  ...rest,
})
const pipeline = (name: string, steps: object[], rest: object = {}) => ({ name, description: name, steps, ...rest })
const fragment = (parts: object) => ({ schemaVersion: 1, ...parts })
const accept = (questions: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.keys(questions).map((key) => [key, { action: 'accept', content: { name } }]))

test('a composite that ends while its client is away for input answers when the client comes back', async () => {
  const step = { id: 'only', server: 'asking', tool: 'ask', arguments: { crash: true } }
  await using hub = await startCatalogHub({
    files: { 'catalog/a.json': fragment({ pipelines: [pipeline('ask', [step])] }) },
    connectors: [asking],
  })
  const client = new ModernCaller(hub.endpoint)
  const { requestState, questions } = inputOf(await client.call('ask'))
  await waitFor(async () => ((await hub.health('asking')).state === 'ready' ? undefined : true))
  const retry = client.call('ask', {}, { requestState, inputResponses: accept(questions, 'ada') })
  expect(textOf({ message: await retry })).toContain("Step 'only' of 'ask' failed")
})

test.each(['chat', 'ask'])('%s may ask a modern client round after round', async (name) => {
  const step = (id: string, rounds: number) => ({ id, server: 'asking', tool: 'ask', arguments: { rounds } })
  await using hub = await startCatalogHub({
    files: {
      'catalog/a.json': fragment({
        aggregations: [aggregation('ask', 'asking', 'ask')],
        pipelines: [
          pipeline('chat', [step('first', 2), { parallel: [step('left', 1), step('right', 1)] }], {
            result: '{{ steps.first.text }} {{ steps.left.text }} {{ steps.right.text }}',
          }),
        ],
      }),
    },
    connectors: [asking],
  })
  const client = new ModernCaller(hub.endpoint)
  const params = { name, arguments: { rounds: 4 } }
  let rounds = 0
  let answer = await client.request('tools/call', params, { progressToken: 'token-0' })
  const tokens: unknown[] = []
  while (answer.result?.['resultType'] === 'input_required') {
    const { requestState, questions } = inputOf(answer)
    const inputResponses = accept(questions, `name-${++rounds}`)
    const retry = client.start(
      'tools/call',
      { ...params, requestState, inputResponses },
      { progressToken: `token-${rounds}` },
    )
    answer = await retry.answer
    tokens.push(...retry.notes.map(({ params: note }) => [rounds, note?.['progressToken']]))
  }
  expect(textOf({ message: answer })).toMatch(/^name-1 name-2 name-\d name-\d$/)
  // Progress is told under the token of the request that is open, never of one that is over.
  expect(tokens.length).toBeGreaterThan(0)
  for (const [round, token] of tokens as [number, string][]) expect(token).toBe(`token-${round}`)
})

test('composites that call each other come to an end, and an edit that turns them around leaves the hub well', async () => {
  await using scratch = await createScratch()
  const [a, b] = ['a', 'b'].map((name) => (steps: object[]) => pipeline(name, steps))
  const readOnly = {
    toolOverrides: { servers: { plain: { tools: { echo: { annotations: { readOnlyHint: true } } } } } },
  }
  const echo = { id: 'echo', server: 'plain', tool: 'echo', arguments: { text: 'x' } }
  const call = (tool: string) => ({ id: tool, server: 'herma', tool })
  await using hub = await startCatalogHub({
    files: {
      'catalog/a.json': fragment({ ...readOnly, pipelines: [a!([echo]), b!([{ ...echo, id: 'who', tool: 'who' }])] }),
    },
    connectors: [scriptedConnector('plain', scratch.file('journal'))],
  })
  const client = await WireClient.connect(hub.endpoint)
  expect(textOf(await client.request('tools/call', { name: 'a', arguments: {} }))).toBe('x')
  await hub.write('catalog/a.json', fragment({ ...readOnly, pipelines: [a!([call('b')]), b!([call('a')])] }))
  const text = await waitFor(async () => {
    const said = textOf(await client.request('tools/call', { name: 'a', arguments: {} }))
    return said === 'x' ? undefined : said
  })
  expect(text).toContain('levels deep')
  // Later edits are still heard of.
  await hub.write('catalog/a.json', fragment({ pipelines: [a!([echo])] }))
  await waitFor(async () => {
    const said = textOf(await client.request('tools/call', { name: 'a', arguments: {} }))
    return said === 'x' ? true : undefined
  })
})

test('what a composite says of itself follows a member that clients do not see', async () => {
  await using scratch = await createScratch()
  await using hub = await startCatalogHub({
    files: {
      'catalog/a.json': fragment({
        aggregations: [aggregation('safe', 'plain', 'echo', { hideTools: [{ server: 'plain', tool: '*' }] })],
        toolOverrides: { servers: { plain: { tools: { echo: { annotations: { readOnlyHint: true } } } } } },
      }),
    },
  })
  await hub.add(scriptedConnector('plain', scratch.file('journal')))
  const client = await hub.connect('legacy')
  expect(await client.names()).toEqual(['safe'])
  expect(await client.tool('safe')).toMatchObject({ annotations: { readOnlyHint: true } })
})

test('a client that leaves ends what its composite has under way, and nothing begins after it', async () => {
  await using scratch = await createScratch()
  const journal = scratch.file('journal')
  await using hub = await startCatalogHub({
    files: {
      'catalog/a.json': fragment({
        pipelines: [
          pipeline('long', [
            { parallel: ['x', 'y', 'z'].map((id) => ({ id, server: 'plain', tool: 'hold' })) },
            { id: 'after', server: 'plain', tool: 'echo', arguments: { text: 'late' } },
          ]),
        ],
      }),
    },
    connectors: [scriptedConnector('plain', journal)],
  })
  const caller = new ModernCaller(hub.endpoint)
  const calls = Array.from({ length: 20 }, () => caller.start('tools/call', { name: 'long', arguments: {} }))
  const count = (event: string) => readJournal(journal).filter((entry) => entry.event === event).length
  await waitFor(() => (count('call') >= 20 ? true : undefined))
  for (const call of calls) call.close()
  await waitFor(() => (count('cancelled') === count('call') && count('call') >= 20 ? true : undefined))
  await waitFor(async () => {
    const { body } = await hub.api('GET', '/api/status')
    return (body as { inFlight: number }).inFlight === 0 ? true : undefined
  })
  expect(readJournal(journal).filter(({ name }) => name === 'echo')).toEqual([])
})

test('a tool that is blocked until somebody approves it is not called from inside a composite either', async () => {
  await using scratch = await createScratch()
  const tools = scratch.file('tools.json')
  await writeFile(tools, JSON.stringify([{ name: 'send', description: 'Sends.', inputSchema: { type: 'object' } }]))
  await using hub = await startCatalogHub({
    files: { 'catalog/a.json': fragment({ aggregations: [aggregation('mail', 'changing', 'send')] }) },
    connectors: [catalogConnectors.changing(tools, { options: { pinning: 'block' } })],
  })
  const client = await WireClient.connect(hub.endpoint)
  const call = async () => JSON.stringify((await client.request('tools/call', { name: 'mail', arguments: {} })).message)
  expect(await call()).toContain('send')
  await writeFile(
    tools,
    JSON.stringify([{ name: 'send', description: 'Sends it all.', inputSchema: { type: 'object' } }]),
  )
  await waitFor(async () => ((await call()).includes("'send' of 'changing' is blocked") ? true : undefined))
})
