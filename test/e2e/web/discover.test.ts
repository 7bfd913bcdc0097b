import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorView } from '@herma/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTemporaryHome, type TemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { startFakeRegistry, type FakeRegistry } from '../../fixtures/fake-registry/start-fake-registry.ts'
import { serverProgram, startTestHub, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

const canary = 'canary-registry-70c1d2e9'
/** It looks like a secret, whatever the name beside it. */
const pasted = `ghp_${'Zk3v9QeT1mLp7Xc5Rb2Nd8Ws4Yf6Hg0Ja1Uo'.slice(0, 36)}`
const root = fileURLToPath(new URL('../../..', import.meta.url))
const { PATH, HOME } = process.env

describe.skipIf(!hasChromium)('the page Discover', () => {
  let home: TemporaryHome
  let hub: TestHub
  let registry: FakeRegistry
  let browser: Browser

  beforeAll(async () => {
    home = await createTemporaryHome()
    const { version } = JSON.parse(
      await readFile(join(root, 'node_modules/@modelcontextprotocol/server-memory/package.json'), 'utf8'),
    ) as { version: string }
    registry = await startFakeRegistry([
      memoryEntry(version),
      weatherEntry,
      ...Array.from({ length: 40 }, (_, index) => ({ ...weatherEntry, name: `io.example/filler-${index}` })),
    ])
    await putNpx(join(home.path, 'bin'))
    await putClients(home.path)
    process.env['PATH'] = `${join(home.path, 'bin')}${delimiter}${PATH}`
    process.env['HOME'] = home.path
    hub = await startTestHub({ webFolder: await buildPages() })
    await hub.api('PUT', '/api/discovery/settings', { registries: [registry.url] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    process.env['PATH'] = PATH
    process.env['HOME'] = HOME
    await browser?.close()
    await hub?.stop()
    await registry?.[Symbol.asyncDispose]()
    await home?.remove()
  })

  test('a server of the registry is searched, planned, installed, tested and removed', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/discover')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('memory')
    await page.getByText('io.example/weather').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('query')).toBe('memory')
    expect(registry.asked.filter((path) => path.includes('search=m&') || path.endsWith('search=m'))).toEqual([])
    await view.expectSound('discover-registry')
    await page.getByRole('heading', { name: 'Discover' }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')

    const drawer = page.getByRole('dialog')
    await drawer.getByRole('heading', { name: 'Memory' }).waitFor()
    await drawer.getByRole('radio', { name: /remote/ }).check()
    await drawer.getByLabel(/^Authorization/).waitFor()
    await drawer.getByRole('radio', { name: /npm/ }).check()
    await drawer.getByRole('button', { name: 'Show plan' }).click()
    await drawer.getByText('It needs this value.').first().waitFor()
    await view.expectSound('discover-needs')
    await drawer.getByLabel(/^API_TOKEN/).fill(canary)
    await page.keyboard.press('Escape')
    await drawer.getByRole('button', { name: 'Keep' }).click()
    await drawer.getByLabel(/^MEMORY_FILE_PATH/).fill(join(home.path, 'memory.jsonl'))
    await drawer.getByLabel('Name of the connector').fill('recall')
    // What is pasted where no secret is expected is stored by name, as in the form of a connector.
    await drawer.getByLabel(/^NOTE/).fill(pasted)
    await drawer.getByRole('button', { name: 'Store as secret: NOTE' }).click()
    await drawer.getByText('NOTE looks like a secret').waitFor({ state: 'detached' })
    expect(await drawer.getByLabel(/^NOTE/).inputValue()).toBe('{secret:RECALL_NOTE}')
    await drawer.getByLabel('Isolation').selectOption('container')
    await drawer.getByLabel(/^Network/).fill('host')
    await drawer.getByRole('button', { name: 'Show plan' }).click()
    await drawer.getByText('The network "host" is not apart from the hub').waitFor()
    await view.expectSound('discover-isolation')
    await drawer.getByLabel('Isolation').selectOption('none')
    await drawer.getByRole('button', { name: 'Show plan' }).click()
    await drawer.getByText('Programs on the machine of the hub').waitFor()
    await drawer.getByText('not hidden: isolation is none').waitFor()
    await drawer.getByText(/^npx -y @modelcontextprotocol\/server-memory/).waitFor()
    await view.expectSound('discover-plan')
    await drawer.getByRole('button', { name: 'Install' }).click()
    await drawer.getByText('Done.', { exact: true }).waitFor()
    await drawer.getByRole('button', { name: 'Test recall' }).click()
    await drawer.getByText(/It works: \d+ tools/).waitFor({ timeout: 60_000 })
    await view.expectSound('discover-report')
    await drawer.getByRole('button', { name: 'Done' }).click()
    for (const secret of [canary, pasted]) expect(await page.content()).not.toContain(secret)
    expect(await connectorNames(hub)).toEqual(['recall'])
    const { body } = await hub.api('GET', '/api/connectors/recall')
    expect((body as ConnectorView).isolation).toEqual({ type: 'none' })
    expect((body as ConnectorView).env).toContainEqual(
      expect.objectContaining({ name: 'NOTE', value: '{secret:RECALL_NOTE}' }),
    )

    await page.getByRole('button', { name: 'Memory' }).click()
    await page.getByRole('button', { name: 'Remove recall' }).click()
    await page.getByRole('heading', { name: 'Remove recall?' }).waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'Removed recall' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await connectorNames(hub)).toEqual([])
    expect(view.complaints).toEqual([])
  })

  test('a registry that does not answer says why, and its address can be changed there', async () => {
    await using view = await openView(browser, hub, { width: 390, theme: 'dark' })
    const { page } = view
    registry.misbehave = (response) => void response.writeHead(500).end()
    await view.goto('/discover?query=elsewhere')
    await page.getByText('The registry cannot be read.').waitFor()
    await view.expectAccessible()
    registry.misbehave = null
    await page.getByRole('button', { name: 'Change the registry' }).click()
    await page.getByLabel('Addresses').fill('not an address')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^not an address: /).waitFor()
    await page.getByLabel('Addresses').fill(`${registry.url}\nhttp://127.0.0.1:9`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('combobox', { name: 'Registry' }).waitFor()
    await page.getByText('Nothing is named like').waitFor()
    expect((await hub.api('GET', '/api/discovery/settings')).body).toEqual({
      registries: [registry.url, 'http://127.0.0.1:9'],
    })
    await view.expectNoOverflow()
  })

  test('servers of clients are imported, and a broken file tells what is wrong', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/discover?tab=clients')
    const cursor = page.getByRole('region', { name: 'Cursor' })
    await cursor.getByText('this hub').waitFor()
    await page
      .getByRole('region', { name: 'Claude Desktop' })
      .getByText(/line 1/)
      .waitFor()
    await view.expectSound('discover-clients')
    await cursor.getByRole('checkbox', { name: 'other' }).uncheck()
    await page.getByLabel('Isolation').selectOption('container')
    await page.getByLabel('Memory').fill('a lot')
    await cursor.getByRole('button', { name: 'Import 1 server' }).click()
    await page.locator('[id="isolation.memoryMb"][aria-invalid="true"]').waitFor()
    expect(await connectorNames(hub)).toEqual([])
    await page.getByLabel('Isolation').selectOption('none')
    await page.getByRole('checkbox', { name: /Store what looks like a secret by name/ }).check()
    await cursor.getByRole('button', { name: 'Import 1 server' }).click()
    await cursor.getByText('already here').waitFor()
    await cursor.getByText(/^Stored by name: .*NOTES_NOTE/).waitFor()
    expect(await connectorNames(hub)).toEqual(['notes'])
    expect((await hub.api('GET', '/api/connectors/notes')).body).toMatchObject({
      isolation: { type: 'none' },
      env: expect.arrayContaining([expect.objectContaining({ name: 'NOTE', value: '{secret:NOTES_NOTE}' })]),
    })
    expect(await page.content()).not.toContain(pasted)
    expect(await page.content()).not.toContain(canary)
    await cursor.getByRole('link', { name: 'notes' }).first().waitFor()
    await page.getByText(`claude mcp add --transport http herma ${hub.endpoint}`).waitFor()
    await hub.api('DELETE', '/api/connectors/notes')
    expect(view.complaints).toEqual([])
  })

  test('the starter bundle is installed as one and removed as one', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/discover?tab=bundles')
    await page.getByRole('button', { name: 'Install…' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel(/^folder/).fill(home.path)
    await drawer.getByRole('button', { name: 'Show plan' }).click()
    await drawer.getByText('workspace_fs_read').waitFor()
    await view.expectSound('discover-bundle-plan')
    await page.route('**/api/discovery/install', (route) => route.fulfill({ json: failed }), { times: 1 })
    await drawer.getByRole('button', { name: 'Install' }).click()
    await drawer.getByText('The disk is full.').waitFor()
    await drawer.getByRole('button', { name: 'Back' }).click()
    await drawer.getByText('workspace_fs_read').waitFor()
    await drawer.getByRole('button', { name: 'Install' }).click()
    await drawer.getByText('Done.', { exact: true }).waitFor()
    await drawer.getByRole('button', { name: 'Done' }).click()
    await page.getByText('installed', { exact: true }).waitFor()
    expect(await connectorNames(hub)).toEqual(['everything', 'files', 'memory', 'thinking'])
    await view.expectSound('discover-bundles')
    await page.route('**/api/discovery/remove', (route) => route.fulfill({ json: failed }), { times: 1 })
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'starter was not removed' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('heading', { name: 'Remove starter?' }).waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'Removed starter' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('not installed').waitFor()
    expect(await connectorNames(hub)).toEqual([])
    expect(view.complaints).toEqual([])
  })

  test('what is pasted goes to the form, and never into the address', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/discover?tab=paste')
    await page.getByLabel('Paste anything').fill('{ "mcpServers": ')
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByText('It could not be read.').waitFor()
    expect(view.complaints.splice(0)).toHaveLength(1)
    const servers = { one: { url: 'https://a.example/mcp', headers: { Authorization: `Bearer ${canary}` } }, two: two }
    await page.getByLabel('Paste anything').fill(JSON.stringify({ mcpServers: servers }))
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByRole('button', { name: 'Open in the form: one' }).waitFor()
    await view.expectSound('discover-paste')
    await page.getByRole('button', { name: 'Open in the form: one' }).click()
    await page.waitForURL('**/connectors/new')
    expect(page.url()).not.toContain(canary)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('one')
  })

  test('it is sound on a phone and in the dark', async () => {
    for (const [tab, text] of [
      ['registry', 'io.example/memory'],
      ['clients', 'Point a client at Herma'],
      ['bundles', 'Install…'],
      ['paste', 'Read it'],
    ] as const) {
      await using view = await openView(browser, hub, { width: 320, theme: 'dark' })
      await view.goto(`/discover?tab=${tab}`)
      await view.page.getByText(text).first().waitFor()
      await view.expectSound(`discover-${tab}`)
    }
    await using view = await openView(browser, hub, { width: 390 })
    await view.goto('/discover?open=io.example/memory')
    await needs(view.page).waitFor()
    await view.expectSound('discover-server')
  })
})

/** How an install or a removal goes that changes nothing. */
const failed = {
  status: 'failed',
  details: { added: [], replaced: [], removed: [], kept: [], secrets: [], tools: [] },
  files_updated: [],
  commands_run: [],
  warnings: [],
  errors: ['The disk is full.'],
}

const two = { command: 'node', args: [serverProgram('everything')] }

const weatherEntry = {
  name: 'io.example/weather',
  title: 'Weather',
  description: 'Forecasts for any place.',
  version: '2.0.0',
  remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
}

const memoryEntry = (version: string) => ({
  name: 'io.example/memory',
  title: 'Memory',
  description: 'Remembers things. <b>Not bold</b>',
  version,
  repository: { url: 'https://git.example/memory', source: 'github' },
  packages: [
    {
      registryType: 'npm',
      identifier: '@modelcontextprotocol/server-memory',
      version,
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'MEMORY_FILE_PATH', format: 'filepath', isRequired: true },
        { name: 'API_TOKEN', isSecret: true, isRequired: true },
        { name: 'NOTE' },
        { name: 'MODE', choices: ['fast', 'deep'], default: 'fast' },
      ],
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://memory.example.com/mcp',
      headers: [{ name: 'Authorization', isSecret: true, isRequired: true }],
    },
  ],
})

/** An npx that takes what is installed here. */
async function putNpx(folder: string): Promise<void> {
  await mkdir(folder)
  const modules = join(root, 'node_modules')
  const script = `#!/usr/bin/env node
const [, identifier, ...args] = process.argv.slice(2)
process.argv.splice(1, process.argv.length, identifier, ...args)
await import(${JSON.stringify(`${modules}/`)} + identifier.replace(/(?<=.)@[^@/]*$/, '') + '/dist/index.js')
`
  await writeFile(join(folder, 'npx'), script)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await chmod(join(folder, 'npx'), 0o755)
}

async function putClients(home: string): Promise<void> {
  const servers = {
    notes: { ...two, env: { API_TOKEN: canary, NOTE: pasted } },
    other: { url: 'https://docs.example.com/mcp' },
    hub: { command: 'npx', args: ['herma', 'stdio'] },
  }
  await mkdir(join(home, '.cursor'))
  await writeFile(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }))
  for (const folder of ['.config/Claude', 'Library/Application Support/Claude']) {
    await mkdir(join(home, folder), { recursive: true })
    await writeFile(join(home, folder, 'claude_desktop_config.json'), '{ "mcpServers": { "x" } }')
  }
}

function needs(page: Page) {
  return page.getByRole('heading', { name: 'What it needs' })
}

async function connectorNames(hub: TestHub): Promise<string[]> {
  const { body } = await hub.api('GET', '/api/connectors')
  return (body as { connectors: ConnectorView[] }).connectors.map(({ name }) => name).toSorted()
}
