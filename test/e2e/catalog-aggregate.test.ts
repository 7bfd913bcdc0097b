import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogTool } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputOf, ModernCaller } from '../fixtures/caller/modern-caller.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { eras, startCatalogHub, textIn, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

let hub: CatalogHub
let scratch: Scratch
let folder: string

const text = { type: 'string' }
const toolbox = {
  name: 'toolbox',
  description: 'Files, notes and everything else.',
  inputSchema: {
    type: 'object',
    properties: {
      do: { ...text, description: 'What to do.' },
      path: text,
      content: text,
      lines: { type: 'integer' },
      entities: { type: 'array', items: { type: 'object' } },
      query: text,
      city: text,
    },
    required: ['do'],
  },
  selector: { field: 'do', caseInsensitive: true },
  operations: [
    {
      value: 'read',
      aliases: ['cat', 'show'],
      downstreamServer: 'files',
      downstreamTool: 'read_text_file',
      argumentMappings: [
        { target: 'path', required: true },
        { target: 'head', from: 'lines', default: 1 },
      ],
    },
    { value: 'write', downstreamServer: 'files', downstreamTool: 'write_file' },
    { value: 'remember', downstreamServer: 'notes', downstreamTool: 'create_entities' },
    {
      value: 'recall',
      downstreamServer: 'notes',
      downstreamTool: 'search_nodes',
      argumentMappings: [{ target: 'query', required: true }],
    },
    {
      value: 'weather',
      downstreamServer: 'every',
      downstreamTool: 'get-structured-content',
      argumentMappings: [{ target: 'location', from: 'city', default: 'Chicago' }],
    },
    { value: 'ask', downstreamServer: 'every', downstreamTool: 'trigger-elicitation-request' },
    {
      value: 'work',
      downstreamServer: 'scripted',
      downstreamTool: 'work',
      argumentMappings: [
        { target: 'steps', value: 3 },
        { target: 'stepMs', value: 5 },
      ],
    },
    { value: 'hold', downstreamServer: 'scripted', downstreamTool: 'hold' },
  ],
  hideTools: [
    { server: 'files', tool: '*' },
    { server: 'notes', tool: '*' },
  ],
}

beforeAll(async () => {
  scratch = await createScratch()
  folder = scratch.file('files')
  await mkdir(folder)
  await writeFile(join(folder, 'poem.txt'), 'first\nsecond\n')
  const memory = { env: [{ name: 'MEMORY_FILE_PATH', value: scratch.file('memory.jsonl') }] }
  hub = await startCatalogHub({
    files: { 'catalog/toolbox.json': { schemaVersion: 1, aggregations: [toolbox] } },
    connectors: [
      stdioConnector('files', [serverProgram('filesystem'), folder]),
      stdioConnector('notes', [serverProgram('memory')], memory),
      stdioConnector('every', [serverProgram('everything'), 'stdio']),
      scriptedConnector('scripted', scratch.file('journal')),
    ],
  })
})

afterAll(async () => {
  await hub?.stop()
  await scratch?.[Symbol.asyncDispose]()
})

const capabilities = { elicitation: { form: {} } }
const connect = (era: (typeof eras)[number]) => hub.connect(era, { capabilities })

describe.each(eras)('one tool over three servers, for a %s client,', (era) => {
  test('calls the member that the selector names, with aliases, defaults and in any case', async () => {
    const client = await connect(era)
    const path = join(folder, 'poem.txt')
    for (const word of ['read', 'CAT', 'Show'])
      expect(textIn(await client.call('toolbox', { do: word, path }))).toBe('first')
    expect(textIn(await client.call('toolbox', { do: 'read', path, lines: 2 }))).toContain('second')
    const written = join(folder, `${era}.txt`)
    await client.call('toolbox', { do: 'write', path: written, content: 'kept' })
    expect(textIn(await client.call('toolbox', { do: 'read', path: written }))).toBe('kept')
  })

  test('passes structured content, and takes JSON that a model wrote as text', async () => {
    const client = await connect(era)
    const weather = await client.call('toolbox', { do: 'weather' })
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) })
    const entity = { name: `Ada ${era}`, entityType: 'person', observations: ['writes programs'] }
    await client.call('toolbox', { do: 'remember', entities: JSON.stringify([entity]) })
    const { structuredContent } = await client.call('toolbox', { do: 'recall', query: `Ada ${era}` })
    expect(structuredContent).toMatchObject({ entities: [entity] })
  })

  test('says what is missing and which operations there are, and passes the errors of members', async () => {
    const client = await connect(era)
    const unnamed = await client.call('toolbox', {})
    expect([unnamed.isError, textIn(unnamed)]).toEqual([true, expect.stringContaining("'do'")])
    const misspelt = await client.call('toolbox', { do: 'raed' })
    expect(textIn(misspelt)).toMatch(/nearest first: 'read'/)
    const incomplete = await client.call('toolbox', { do: 'read' })
    expect([incomplete.isError, textIn(incomplete)]).toEqual([true, expect.stringContaining("'path'")])
    const outside = await client.call('toolbox', { do: 'read', path: '/etc/hostname' })
    expect([outside.isError, textIn(outside)]).toEqual([true, expect.stringContaining('Access denied')])
  })

  test('hides its members, which answer like tools that are not there', async () => {
    const client = await connect(era)
    const names = await client.names()
    expect(names).toContain('toolbox')
    expect(names.filter((name) => /^(files|notes)__/.test(name))).toEqual([])
    const errorOf = (name: string) => client.call(name).catch((error: Error) => error.message.replace(name, 'NAME'))
    expect(await errorOf('files__read_text_file')).toBe(await errorOf('files__no_such_tool'))
    expect(await client.tool('toolbox')).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true },
      _meta: { 'x-herma': { server: 'herma', tool: 'toolbox', origin: 'catalog/toolbox.json' } },
    })
  })

  test('lets a member ask the client in the middle of its call', async () => {
    const client = await connect(era)
    expect(textIn(await client.call('toolbox', { do: 'ask' }))).toContain('- Name: ada')
    expect(client.asked).toHaveLength(1)
    const mute = await hub.connect(era)
    const answer = await mute.call('toolbox', { do: 'ask' }).then(textIn, (error: Error) => error.message)
    expect(answer).toMatch(/does not support|not found/)
  })

  test('brings the progress of a member to the client', async () => {
    const client = await connect(era)
    const seen: unknown[] = []
    const onprogress = ({ progress, total }: { progress: number; total?: number }) => seen.push([progress, total])
    expect(textIn(await client.call('toolbox', { do: 'work' }, { onprogress }))).toBe('worked 3 steps')
    expect(seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  })

  test('ends the call of the member when the client cancels', async () => {
    const client = await connect(era)
    const entries = () => readJournal(scratch.file('journal'))
    const before = entries().length
    const heldCall = () =>
      entries()
        .slice(before)
        .find(({ name }) => name === 'hold')
    const controller = new AbortController()
    const call = client.call('toolbox', { do: 'hold' }, { signal: controller.signal })
    const ended = expect(call).rejects.toThrow(/enough|abort/i)
    const held = await waitFor(heldCall)
    controller.abort('enough')
    await ended
    await waitFor(() =>
      entries().find(({ event, requestId, pid }) => event === 'cancelled' && requestId === held.id && pid === held.pid),
    )
    expect(textIn(await client.call('toolbox', { do: 'weather' }))).toContain('temperature')
  })
})

test('a modern client that is sent away for input comes back with it, and the member goes on', async () => {
  const caller = new ModernCaller(hub.endpoint, { elicitation: { form: {} } })
  const asked = await caller.call('toolbox', { do: 'ask' })
  const { requestState, questions } = inputOf(asked)
  const answers = Object.keys(questions).map((key) => [key, { action: 'accept', content: { name: 'grace' } }])
  const inputResponses = Object.fromEntries(answers) as Record<string, unknown>
  const { result } = await caller.call('toolbox', { do: 'ask' }, { requestState, inputResponses })
  expect(JSON.stringify(result)).toContain('- Name: grace')
})

test('a hidden member is still listed for people, with the reason', async () => {
  const { tools } = await hub.ask<{ tools: CatalogTool[] }>('GET', '/api/catalog/tools?all=true&server=files')
  expect(tools.length).toBeGreaterThan(10)
  for (const { name, hiddenBecause } of tools)
    expect({ name, hiddenBecause }).toEqual({ name: null, hiddenBecause: 'hidden in catalog/toolbox.json' })
})
