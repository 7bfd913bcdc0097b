import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectorInput } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callWithProgress, clientKinds, connectDirect, connectThrough, type McpClient } from './mcp-client.ts'
import { outcomeOf, plainResult } from './plain-result.ts'
import { startEverything, type EverythingServer } from './start-everything.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

type Run = (client: McpClient, named: (name: string) => string) => Promise<unknown>

const call =
  (name: string, args: Record<string, unknown> = {}): Run =>
  (client, named) =>
    client.callTool({ name: named(name), arguments: args })
const read =
  (uri: string): Run =>
  (client) =>
    client.readResource({ uri })
const prompt =
  (name: string, args?: Record<string, unknown>): Run =>
  (client, named) =>
    client.getPrompt({ name: named(name), ...(args && { arguments: args }) })
const complete =
  (ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }, rest: object): Run =>
  (client, named) =>
    client.complete({ ref: ref.type === 'ref/prompt' ? { ...ref, name: named(ref.name) } : ref, ...rest })

const everythingRuns: Record<string, Run> = {
  'plain text': call('echo', { message: 'grüße 🙂 \u2028' }),
  numbers: call('get-sum', { a: 9_007_199_254_740_991, b: 0.1 }),
  'structured content': call('get-structured-content', { location: 'Chicago' }),
  'an image': call('get-tiny-image'),
  'an annotated message': call('get-annotated-message', { messageType: 'error', includeImage: true }),
  'resource links': call('get-resource-links', { count: 4 }),
  'an embedded resource': call('get-resource-reference', { resourceType: 'Blob', resourceId: 3 }),
  'an error inside of the result': call('get-sum', { a: 'one', b: 2 }),
  'progress and then the result': async (client, named) => {
    const events: unknown[] = []
    const params = { name: named('trigger-long-running-operation'), arguments: { duration: 0.2, steps: 4 } }
    const result = await callWithProgress(client, params, (event) => events.push(event))
    // The v2 client drops an event that arrives in one piece with the result, whoever sent it.
    expect(events.length).toBeGreaterThanOrEqual(3)
    return { result, events: events.slice(0, 3) }
  },
  'a resource': read('demo://resource/static/document/architecture.md'),
  'a resource from a template': read('demo://resource/dynamic/text/7'),
  'a binary resource from a template': read('demo://resource/dynamic/blob/7'),
  'a prompt': prompt('simple-prompt'),
  'a prompt with arguments': prompt('args-prompt', { city: 'Bern', state: 'BE' }),
  'a prompt that embeds a resource': prompt('resource-prompt', { resourceType: 'Text', resourceId: '2' }),
  'the error of a prompt without its arguments': prompt('args-prompt', {}),
  'the completion of a prompt argument': complete(
    { type: 'ref/prompt', name: 'completable-prompt' },
    { argument: { name: 'name', value: '' }, context: { arguments: { department: 'Sales' } } },
  ),
  'the completion of a template variable': complete(
    { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
    { argument: { name: 'resourceId', value: '12' } },
  ),
}

const filesystemRuns = (folder: string): Record<string, Run> => ({
  'the allowed folders': call('list_allowed_directories'),
  'a written file': call('write_file', { path: join(folder, 'note.txt'), content: 'one\ntwo\nthree\n' }),
  'a read file': call('read_text_file', { path: join(folder, 'note.txt'), tail: 2 }),
  'the difference that an edit would make': call('edit_file', {
    path: join(folder, 'note.txt'),
    edits: [{ oldText: 'two', newText: '2' }],
    dryRun: true,
  }),
  'a read image': call('read_media_file', { path: join(folder, 'dot.png') }),
  'the entries of a folder': call('list_directory', { path: folder }),
  'found files': call('search_files', { path: folder, pattern: '**/*.txt' }),
  'the error for a missing file': call('read_text_file', { path: join(folder, 'missing.txt') }),
  'the error for a path outside': call('read_text_file', { path: '/etc/hostname' }),
})

const entity = { name: 'Herma', entityType: 'gateway', observations: ['stands at crossroads'] }
const memoryRuns: Record<string, Run> = {
  'created entities': call('create_entities', { entities: [entity, { ...entity, name: 'Hermes' }] }),
  'created relations': call('create_relations', {
    relations: [{ from: 'Herma', to: 'Hermes', relationType: 'shows' }],
  }),
  'added observations': call('add_observations', {
    observations: [{ entityName: 'Herma', contents: ['is a pillar'] }],
  }),
  'found nodes': call('search_nodes', { query: 'pillar' }),
  'the whole graph': call('read_graph'),
  'the error for an unknown entity': call('add_observations', {
    observations: [{ entityName: 'nobody', contents: ['x'] }],
  }),
  'deleted entities': call('delete_entities', { entityNames: ['Herma', 'Hermes'] }),
}

let hub: TestHub
let everything: EverythingServer
const folder = await realpath(await mkdtemp(join(tmpdir(), 'herma-servers-')))

beforeAll(async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await writeFile(join(folder, 'dot.png'), Buffer.from(pixel, 'base64'))
  everything = await startEverything('streamableHttp')
  hub = await startTestHub()
})

afterAll(async () => {
  await hub?.stop()
  await everything?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const memoryServer = (file: string) =>
  stdioConnector('memory', [serverProgram('memory')], {
    env: [{ name: 'MEMORY_FILE_PATH', value: join(folder, file) }],
  })

const servers: [title: string, connector: () => ConnectorInput, direct: () => ConnectorInput, Record<string, Run>][] = [
  ['everything over stdio', everythingOverStdio, everythingOverStdio, everythingRuns],
  ['everything over Streamable HTTP', everythingOverHttp, everythingOverHttp, everythingRuns],
  ['filesystem over stdio', filesystemServer, filesystemServer, filesystemRuns(folder)],
  // Each side has a memory of its own, so that what one creates is new to the other too.
  ['memory over stdio', () => memoryServer('hub.jsonl'), () => memoryServer('direct.jsonl'), memoryRuns],
]

function everythingOverStdio(): ConnectorInput {
  return stdioConnector('everything', [serverProgram('everything'), 'stdio'])
}

function everythingOverHttp(): ConnectorInput {
  return { name: 'remote', transport: 'stream', baseUrl: `${everything.origin}/mcp` }
}

function filesystemServer(): ConnectorInput {
  return stdioConnector('files', [serverProgram('filesystem'), folder])
}

describe.each(servers)('%s', (_, connector, directConnector, runs) => {
  beforeAll(async () => {
    await hub.add(connector())
    // The first list waits for the first look at a server, so afterwards everything about it is known.
    const client = await hub.connectV1()
    await client.listTools()
  })
  afterAll(() => hub.api('DELETE', `/api/connectors/${connector().name}`))

  describe.each(clientKinds)('with a %s client', (kind) => {
    let through: McpClient
    let direct: McpClient
    const named = (name: string) => `${connector().name}__${name}`

    beforeAll(async () => {
      ;[through, direct] = await Promise.all([connectThrough(hub, kind), connectDirect(kind, directConnector())])
    })
    afterAll(() => Promise.all([through.close(), direct.close()]))

    test('every list is the one that the server gives, but for the names', async () => {
      const rename = (entry: { name: string; execution?: unknown }) => {
        // The v2 client leaves out what a tool says of 2025-11-25 tasks when it speaks 2026-07-28.
        const { execution, ...rest } = entry
        return { ...(kind === 'v2 auto' ? rest : entry), name: named(entry.name) }
      }
      const { tools } = await direct.listTools()
      const expected = tools.map((tool: { name: string; _meta?: object }) => {
        const origin = { server: connector().name, tool: tool.name }
        return { ...rename(tool), _meta: { ...tool._meta, 'x-herma': origin } }
      })
      expect(plainResult(await through.listTools())).toEqual({ tools: expected })
      const { prompts } = await direct.listPrompts().catch(whenUnknown({ prompts: [] }))
      expect(plainResult(await through.listPrompts())).toEqual({ prompts: prompts.map(rename) })
      const resources = await direct.listResources().catch(whenUnknown({ resources: [] }))
      expect(plainResult(await through.listResources())).toEqual(plainResult(resources))
      const templates = await direct.listResourceTemplates().catch(whenUnknown({ resourceTemplates: [] }))
      expect(plainResult(await through.listResourceTemplates())).toEqual(plainResult(templates))
    })

    test('the instructions are those of the server', () => {
      expect(through.getInstructions()).toBe(direct.getInstructions())
    })

    test.each(Object.entries(runs))('%s comes as from the server itself', async (_title, run) => {
      const expected = await outcomeOf(run(direct, (name) => name))
      expect(await outcomeOf(run(through, named))).toEqual(expected)
    })
  })
})

/** A server without this kind of list refuses the method; Herma, which may get some any time, has an empty one. */
function whenUnknown<T>(empty: T): (error: { code: number }) => T {
  return (error) => {
    if (error.code !== -32601) throw error
    return empty
  }
}
