import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startCatalogHub, textIn } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector } from './start-test-hub.ts'

const text = { type: 'string' }

test('an aggregate that remembers its folder and its history does so after a restart of the hub', async () => {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  await mkdir(join(home.path, 'work/inner'), { recursive: true })
  await writeFile(join(home.path, 'work/inner/found.txt'), '')
  const remember = {
    action: 'append',
    key: 'history',
    value: { command: { type: 'argument', path: 'operation' }, cwd: { type: 'state', key: 'cwd' } },
  }
  const shell = {
    name: 'shell',
    description: 'Walks through folders.',
    inputSchema: { type: 'object', properties: { operation: text, path: text } },
    operations: ['list', 'go', 'where', 'history'].map((value) => ({
      value,
      downstreamServer: 'files',
      downstreamTool: 'list_directory',
    })),
    state: {
      path: 'shell.json',
      defaults: { cwd: join(home.path, 'work'), history: [] },
      fields: { cwd: { type: 'path', root: join(home.path, 'work') }, history: { type: 'list', maxLength: 5 } },
      operations: [
        { value: 'list', preloadArguments: [{ argument: 'path', stateKey: 'cwd' }], mutations: [remember] },
        {
          value: 'go',
          mode: 'state_only',
          mutations: [
            {
              action: 'set',
              key: 'cwd',
              source: { type: 'argument', path: 'path' },
              asPath: true,
              relativeToCurrent: true,
              requireExists: true,
            },
          ],
          response: { type: 'value', key: 'cwd' },
        },
        { value: 'where', mode: 'state_only', response: { type: 'value', key: 'cwd' } },
        { value: 'history', mode: 'state_only', response: { type: 'history', key: 'history' } },
      ],
    },
  }
  const inner = join(home.path, 'work/inner')
  {
    await using first = await startCatalogHub({
      home: home.path,
      files: { 'catalog/shell.json': { schemaVersion: 1, aggregations: [shell] } },
      connectors: [stdioConnector('files', [serverProgram('filesystem'), join(home.path, 'work')])],
    })
    const client = await first.connect('modern')
    expect(textIn(await client.call('shell', { operation: 'list' }))).toContain('[DIR] inner')
    expect(textIn(await client.call('shell', { operation: 'go', path: 'inner' }))).toBe(inner)
    const away = await client.call('shell', { operation: 'go', path: '../../..' })
    expect([away.isError, textIn(away)]).toEqual([true, expect.stringContaining('outside')])
  }
  await using again = await startCatalogHub({ home: home.path })
  const client = await again.connect('legacy')
  expect(textIn(await client.call('shell', { operation: 'where' }))).toBe(inner)
  expect(textIn(await client.call('shell', { operation: 'list' }))).toContain('found.txt')
  const history = await client.call('shell', { operation: 'history' })
  expect(history.structuredContent).toEqual({
    result: {
      commands: [
        { command: 'list', cwd: inner },
        { command: 'list', cwd: join(home.path, 'work') },
      ],
    },
  })
})
