import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError } from '../protocol/errors.ts'
import { server } from '../server/app.ts'
import { clientModes, connectClient } from '../server/testing/connect-client.ts'
import { apps, supportsUi, uiResource, withUi } from './index.ts'

const uri = 'ui://clock/view.html'
const html = '<!doctype html><title>Clock</title>'

describe.each(clientModes)('towards a $era client', ({ mode }) => {
  test('a tool names its view, which is served with its settings', async () => {
    const csp = { connectDomains: ['https://api.example.com'] }
    const view = uiResource(uri, { html, csp, permissions: ['camera'], prefersBorder: false, title: 'Clock' })
    const app = server({ name: 'clock', version: '1.0.0' })
      .plugin(apps(view))
      .tool('now', withUi({ description: 'The time.', meta: { kept: 1 } }, uri, { visibility: ['app'] }), () => '12:00')
    await using session = await connectClient(app, mode)
    const { client } = session

    const extensions = client.getServerCapabilities()?.extensions
    expect(extensions).toEqual({ 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } })
    const { tools } = await client.listTools()
    expect(tools[0]).toMatchObject({
      description: 'The time.',
      _meta: { kept: 1, ui: { resourceUri: uri, visibility: ['app'] } },
    })
    const ui = { csp, permissions: { camera: {} }, prefersBorder: false }
    const mimeType = 'text/html;profile=mcp-app'
    const { resources } = await client.listResources()
    expect(resources).toMatchObject([{ uri, title: 'Clock', mimeType, _meta: { ui } }])
    const { contents } = await client.readResource({ uri })
    expect(contents).toEqual([{ uri, mimeType, text: html, _meta: { ui } }])
  })

  test.each([
    ['shows views', { mimeTypes: ['text/html;profile=mcp-app'] }, true],
    ['shows other views', { mimeTypes: ['text/other'] }, false],
    ['shows none', undefined, false],
  ])('a tool knows whether the client %s', async (_, settings, expected) => {
    const app = server({ name: 'clock', version: '1.0.0' })
      .plugin(apps())
      .tool('know', { output: z.object({ is: z.boolean() }) }, (_args, context) => ({ is: supportsUi(context) }))
    const extensions = settings === undefined ? {} : { 'io.modelcontextprotocol/ui': settings }
    await using session = await connectClient(app, mode, {
      capabilities: { extensions: extensions as Record<string, object> as never },
    })
    expect((await session.client.callTool({ name: 'know' })).structuredContent).toEqual({ is: expected })
  })
})

test('a view may come from a file, which is read each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herma-apps-'))
  try {
    const file = join(folder, 'view.html')
    await writeFile(file, html)
    const app = server({ name: 'clock', version: '1.0.0' }).plugin(apps(uiResource(uri, { file: pathToFileURL(file) })))
    await using session = await connectClient(app, 'legacy')
    expect((await session.client.readResource({ uri })).contents).toMatchObject([{ text: html }])
    await writeFile(file, 'changed')
    expect((await session.client.readResource({ uri })).contents).toMatchObject([{ text: 'changed' }])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a wrong view is refused before anything is served', () => {
  expect(() => uiResource('https://example.com', { html })).toThrow(ConfigError)
  expect(() => withUi({}, 'clock')).toThrow('ui://')
  expect(() => uiResource(uri, {} as never)).toThrow('either html or file')
})
