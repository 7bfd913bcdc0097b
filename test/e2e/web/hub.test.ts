import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

describe.skipIf(!hasChromium)('the Hub page', () => {
  let hub: TestHub
  let browser: Browser

  beforeAll(async () => {
    hub = await startTestHub({ webFolder: await buildPages() })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })

  test('a new hub begins with a paste, and shows what came of it', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await page.getByRole('heading', { name: 'Add your servers' }).waitFor()
    await view.expectSound('hub-first-run')
    await page.setViewportSize({ width: 320, height: 800 })
    await view.expectNoOverflow()
    await page.setViewportSize({ width: 1280, height: 844 })

    await page.getByLabel('Paste anything').fill('{ "mcpServers": {} }')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Nothing was added.').waitFor()

    // What lacks a value is asked for it first.
    await page.getByLabel('Paste anything').fill('npx -y @modelcontextprotocol/server-filesystem <folder>')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'New connector' }).waitFor()
    await page.getByRole('button', { name: 'Edit <folder>, 3 of 3' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('link', { name: 'Hub', exact: true }).click()

    const servers = { everything: { command: process.execPath, args: [serverProgram('everything')] } }
    await page.getByLabel('Paste anything').fill(JSON.stringify({ mcpServers: servers }))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'Connectors', level: 2 }).waitFor()
    await page.getByText('Nothing needs you.').waitFor()
  })

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
    [320, 'light'],
    [1920, 'light'],
  ] as const)('at %i px in %s it shows what needs a person, counts, calls and clients', async (width, theme) => {
    await hub.api('POST', '/api/connectors', stdioConnector('broken', ['/nowhere/server.mjs']))
    const client = await hub.connectV2('auto')
    await client.callTool({ name: 'everything__echo', arguments: { message: 'hello' } })
    await using view = await openView(browser, hub, { width, theme })
    const { page } = view
    await page.getByRole('heading', { name: /Needs you/ }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'broken' }).getByRole('link').waitFor()
    await page.getByRole('link', { name: 'Manage connectors' }).waitFor()
    await page.getByText('everything__echo').first().waitFor()
    await view.expectSound('hub')
  })

  test('a call appears while the page is open, and a change of a connector too', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await page.getByText('Connect a client').first().waitFor()
    const client = await hub.connectV2('auto')
    await client.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } })
    await page.getByText('everything__get-sum').first().waitFor()
    await hub.api('DELETE', '/api/connectors/broken')
    await page.getByText('Nothing needs you.').waitFor()
    expect(view.complaints).toEqual([])
  })

  test('one click copies the configuration of a client', async () => {
    await using view = await openView(browser, hub, { width: 390 })
    const { page } = view
    await page.getByRole('radio', { name: 'ChatGPT' }).check()
    await page.getByRole('link', { name: 'Settings, Reachability' }).waitFor()
    expect(await page.getByRole('button', { name: 'Copy the configuration of ChatGPT' }).count()).toBe(0)
    await page.getByRole('radio', { name: 'Codex' }).check()
    await page.getByRole('button', { name: 'Copy the configuration of Codex' }).click()
    await page.getByText('Copied').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(`[mcp_servers.herma]\nurl = "${hub.url}/mcp"`)
  })
})
