import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DryRunReport } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createScratch,
  readJournal,
  scriptedConnector,
  type JournalEntry,
  type Scratch,
} from '../fixtures/scripted-connector.ts'
import { eras, startCatalogHub, textIn, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

let hub: CatalogHub
let scratch: Scratch
let folder: string

const text = { type: 'string' }

/** Looks at files, sums their sizes up in a report, and notes what it did. */
const report = {
  name: 'report',
  description: 'Reads files and writes a report.',
  inputSchema: {
    type: 'object',
    properties: { paths: { type: 'array', items: text }, city: text, target: text, isLoud: { type: 'boolean' } },
    required: ['paths', 'target'],
  },
  steps: [
    {
      parallel: [
        {
          id: 'weather',
          server: 'every',
          tool: 'get-structured-content',
          arguments: { location: '{{ input.city }}' },
          when: { value: '{{ input.city }}', exists: true },
        },
        {
          id: 'files',
          server: 'files',
          tool: 'read_text_file',
          forEach: '{{ input.paths }}',
          arguments: { path: '{{ item }}' },
        },
      ],
    },
    {
      id: 'shout',
      server: 'every',
      tool: 'echo',
      arguments: { message: '{{ steps.files.items.0.text }}!' },
      when: { value: '{{ input.isLoud }}', equals: true },
    },
    {
      id: 'write',
      server: 'files',
      tool: 'write_file',
      arguments: { path: '{{ input.target }}', content: '{{ steps.files.text }}' },
    },
  ],
  result: {
    conditions: '{{ steps.weather.structured.conditions }}',
    shout: '{{ steps.shout.text }}',
    first: '{{ steps.files.items.0.text }}',
    written: '{{ steps.write.text }}',
  },
}

const slow = {
  name: 'slow',
  description: 'Says something, waits, and says it again.',
  steps: [
    { id: 'before', server: 'scripted', tool: 'echo', arguments: { text: 'before' } },
    { parallel: ['one', 'two'].map((id) => ({ id, server: 'scripted', tool: 'hold' })) },
    { id: 'after', server: 'scripted', tool: 'echo', arguments: { text: 'after' } },
  ],
}

const careless = {
  name: 'careless',
  description: 'Goes on when a step fails.',
  steps: [
    { id: 'read', server: 'files', tool: 'read_text_file', arguments: { path: '/nowhere' }, onError: 'continue' },
    {
      id: 'say',
      server: 'every',
      tool: 'echo',
      arguments: { message: 'went on' },
      when: { value: '{{ steps.read.isError }}', equals: true },
    },
  ],
}

beforeAll(async () => {
  scratch = await createScratch()
  folder = scratch.file('files')
  await mkdir(folder)
  await Promise.all(['a', 'b'].map((name) => writeFile(join(folder, name), `content of ${name}`)))
  hub = await startCatalogHub({
    files: { 'catalog/pipelines.json': { schemaVersion: 1, pipelines: [report, slow, careless] } },
    connectors: [
      stdioConnector('files', [serverProgram('filesystem'), folder]),
      stdioConnector('every', [serverProgram('everything'), 'stdio']),
      scriptedConnector('scripted', scratch.file('journal')),
    ],
  })
})

afterAll(async () => {
  await hub?.stop()
  await scratch?.[Symbol.asyncDispose]()
})

const file = (name: string) => join(folder, name)

describe.each(eras)('a pipeline, for a %s client,', (era) => {
  test('runs its steps with what earlier ones gave, some at once and one for each of a list', async () => {
    const client = await hub.connect(era)
    const target = file(`report-${era}`)
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress)
    const args = { paths: [file('a'), file('b')], city: 'Chicago', target, isLoud: true }
    const { structuredContent } = await client.call('report', args, { onprogress })
    expect(structuredContent).toMatchObject({
      conditions: expect.any(String),
      shout: 'Echo: content of a!',
      first: 'content of a',
      written: expect.stringContaining('Successfully wrote'),
    })
    expect(await readFile(target, 'utf8')).toBe('content of a\ncontent of b')
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBe(4)
  })

  test('leaves out the steps whose condition does not hold, and what would come of them', async () => {
    const client = await hub.connect(era)
    const answer = await client.call('report', { paths: [file('b')], target: file(`quiet-${era}`) })
    expect(answer.structuredContent).toEqual({ first: 'content of b', written: expect.any(String) })
    const { 'herma/steps': steps } = (answer as unknown as { _meta: Record<string, { id: string; outcome: string }[]> })
      ._meta
    expect(steps!.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['weather', 'skipped'],
      ['files', 'done'],
      ['shout', 'skipped'],
      ['write', 'done'],
    ])
  })

  test('ends with the step that failed and says which it was, unless the step may fail', async () => {
    const client = await hub.connect(era)
    const target = file(`never-${era}`)
    const failed = await client.call('report', { paths: [file('a'), '/etc/hostname'], target })
    expect(failed.isError).toBe(true)
    expect(textIn(failed)).toMatch(/Step 'files'.*item 2: .*Access denied/)
    await expect(readFile(target)).rejects.toThrow('ENOENT')
    expect(textIn(await client.call('careless'))).toBe('Echo: went on')
    const incomplete = await client.call('report', { paths: [] })
    expect([incomplete.isError, textIn(incomplete)]).toEqual([true, expect.stringContaining("'target'")])
  })

  test('that is cancelled in the middle ends what runs and begins nothing more', async () => {
    const client = await hub.connect(era)
    const before = readJournal(scratch.file('journal')).length
    const entries = () => readJournal(scratch.file('journal')).slice(before)
    const calls = (name: string) => entries().filter((entry) => entry.event === 'call' && entry.name === name)
    const controller = new AbortController()
    const ended = expect(client.call('slow', {}, { signal: controller.signal })).rejects.toThrow(/enough|abort/i)
    await waitFor(() => (calls('hold').length === 2 ? true : undefined))
    controller.abort('enough')
    await ended
    const isCancelled = ({ id, pid }: JournalEntry) =>
      entries().some((entry) => entry.event === 'cancelled' && entry.requestId === id && entry.pid === pid)
    await waitFor(() => (calls('hold').every(isCancelled) ? true : undefined))
    expect(calls('echo')).toHaveLength(1)
    // Whatever would still come has come when a later call is answered.
    await client.call('scripted__who')
    expect(calls('echo')).toHaveLength(1)
  })
})

test('a dry run says what would be called with what, and calls nothing', async () => {
  const target = file('dry')
  const paths = [file('a'), file('b')]
  const request = { tool: 'report', arguments: { paths, target, isLoud: true } }
  const { calls, problems } = await hub.ask<DryRunReport>('POST', '/api/catalog/dry-run', request)
  expect(problems).toEqual([])
  expect(calls).toEqual([
    expect.objectContaining({ step: 'weather', note: expect.stringContaining('left out') }),
    ...paths.map((path) => expect.objectContaining({ step: 'files', server: 'files', arguments: { path } })),
    expect.objectContaining({ step: 'shout', arguments: { message: '{{ steps.files.items.0.text }}!' } }),
    expect.objectContaining({ step: 'write', arguments: { path: target, content: '{{ steps.files.text }}' } }),
  ])
  await expect(readFile(target)).rejects.toThrow('ENOENT')

  const incomplete = await hub.ask<DryRunReport>('POST', '/api/catalog/dry-run', { tool: 'report' })
  expect(incomplete.problems.join()).toMatch(/'paths'/)
  expect(await hub.api('POST', '/api/catalog/dry-run', { tool: 'nothing' })).toMatchObject({ status: 404 })
})

test('a pipeline whose member changes files says that it may destroy', async () => {
  const client = await hub.connect('modern')
  expect(await client.tool('report')).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } })
})
