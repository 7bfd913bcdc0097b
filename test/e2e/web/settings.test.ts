import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

const canary = 'sk-canary-4f1d9a77c0de'

describe.skipIf(!hasChromium)('the settings', () => {
  let hub: TestHub
  let browser: Browser

  beforeAll(async () => {
    hub = await startTestHub({
      webFolder: await buildPages(),
      connectors: [stdioConnector('files', [serverProgram('filesystem'), '/tmp'])],
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })

  test('a user is added and gets a code that is shown once', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#users')
    const users = section(page, 'Users')
    await users.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByLabel('Name').fill('Ada Lovelace')
    await dialog.getByRole('button', { name: 'Add user' }).click()
    await dialog.getByText('A user is named with').waitFor()
    expect(await dialog.getByLabel('Name').evaluate((element) => element === document.activeElement)).toBe(true)
    await view.expectAccessible()
    await dialog.getByLabel('Name').fill('ada')
    await dialog.getByLabel('Role').selectOption('viewer')
    await dialog.getByRole('button', { name: 'Add user' }).click()
    const once = page.getByRole('dialog', { name: 'The code for ada' })
    const code = await once.locator('code').innerText()
    expect(code).toMatch(/^[0-9A-F]{6}(-[0-9A-F]{6}){4}$/)
    await view.expectSound('settings-code')
    await once.getByRole('button', { name: 'I have copied it' }).click()
    await users.getByText('no password set yet').waitFor()
    expect(await page.content()).not.toContain(code)

    await users.getByRole('button', { name: 'Actions for ada' }).click()
    await page.getByRole('menuitem', { name: 'Change role or address' }).click()
    await page.getByRole('dialog', { name: 'ada' }).getByLabel('Role').selectOption('member')
    await page.getByRole('switch', { name: /May sign in/ }).uncheck()
    await page.getByRole('dialog', { name: 'ada' }).getByRole('button', { name: 'Save' }).click()
    await users.getByText('disabled').waitFor()
    expect((await hub.api('GET', '/api/access/users/ada')).body).toMatchObject({ role: 'member', disabled: true })
    expect(view.complaints).toEqual([])
  })

  test('a key is shown once, opens the endpoint, and is refused after it was revoked', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings')
    const keys = section(page, 'API keys')
    await keys.getByRole('button', { name: 'Add key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add API key' })
    await dialog.getByLabel('Name').fill('laptop')
    await dialog.getByLabel('Calls at once').fill('2')
    await view.expectAccessible()
    await dialog.getByRole('button', { name: 'Make key' }).click()
    const once = page.getByRole('dialog', { name: 'The key laptop' })
    const key = await once.locator('code').first().innerText()
    await once.getByRole('button', { name: 'I have copied it' }).click()
    await keys.getByText('2 at once').waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await initialize(hub, key)).toBe(200)

    await keys.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await keys.getByText('No keys.').waitFor()
    expect(await initialize(hub, key)).toBe(401)
    expect(view.complaints).toEqual([])
  })

  test('a rule says what it refuses, and an explanation names it', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#rules')
    const rules = section(page, 'Rules of access')
    await rules.getByRole('button', { name: 'Add rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add rule' })
    await dialog.getByLabel('When').fill('tool.nonsense(')
    await dialog.getByRole('button', { name: 'Save rule' }).click()
    await dialog.getByText(/cannot be read at line 1/).waitFor()
    // The browser notes every answer that is a refusal.
    expect(view.complaints.splice(0)).toEqual([expect.stringContaining('422')])
    await dialog.getByLabel('When').fill('tool == "files__write_file"')
    await dialog.getByLabel('Reason').fill('Nobody writes.')
    await dialog.getByRole('button', { name: 'Try it on recorded calls' }).click()
    await dialog.getByText(/recorded calls?, 0 would be refused/).waitFor()
    await view.expectSound('settings-rule')
    await dialog.getByRole('button', { name: 'Save rule' }).click()
    await rules.getByText('Nobody writes.').waitFor()

    await rules.getByLabel('Who').selectOption('user:ada')
    await rules.getByLabel('Tool, prompt or address').fill('files__write_file')
    await rules.getByRole('button', { name: 'Explain' }).click()
    await rules.getByText('Refused.').waitFor()
    await rules
      .getByText(/Nobody writes/)
      .nth(1)
      .waitFor()
    await view.expectAccessible()

    await rules.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('dialog').getByLabel('When').fill('principal.kind == "key"')
    await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click()
    await rules.getByRole('button', { name: 'Move rule 2 up' }).click()
    await rules.getByRole('listitem').first().getByText('principal.kind').waitFor()
    await rules.getByRole('button', { name: 'Actions for rule 1' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove rule' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await rules.getByText('principal.kind').waitFor({ state: 'detached' })
    expect(view.complaints).toEqual([])
  })

  test('a session without its key is shown, with the way to enter it', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await hub.api('POST', '/api/sessions', { name: 'talker', provider: 'openai', model: 'gpt-x' })
    await view.goto('/settings#models')
    await section(page, 'Model providers').getByRole('link', { name: 'missing, enter it' }).click()
    await page.getByRole('heading', { name: 'talker', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/sessions/talker/edit')
    await hub.api('DELETE', '/api/sessions/talker')
  })

  test('retention is saved by itself, counts its problems, and is still there after a reload', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#retention')
    const retention = section(page, 'Retention')
    const days = retention.getByLabel('Keep calls for')
    await days.fill('0')
    await page.keyboard.press('Control+s')
    await retention.getByText('1 field needs a look').waitFor()
    await days.fill('9')
    await retention.getByText('Not saved yet').waitFor()
    await page.getByRole('link', { name: 'Hub', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await days.focus()
    await page.keyboard.press('Control+s')
    await retention.getByText('All changes saved').waitFor()
    await page.reload()
    expect(await section(page, 'Retention').getByLabel('Keep calls for').inputValue()).toBe('9')

    await section(page, 'Retention').getByRole('button', { name: 'Change what is recorded of facade' }).click()
    await page.getByLabel('Record', { exact: true }).selectOption('bodies')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await section(page, 'Retention')
      .getByText(/with their content/)
      .waitFor()
    expect(view.complaints).toEqual([])
  })

  test('a secret and headers for a collector are stored, and nowhere to be found afterwards', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#secrets')
    const secrets = section(page, 'Secrets')
    await secrets.getByRole('button', { name: 'Add secret' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add secret' })
    await dialog.getByLabel('Name').fill('CANARY')
    await dialog.getByRole('button', { name: 'Store', exact: true }).click()
    await dialog.getByText('Enter the value').waitFor()
    await dialog.getByLabel('Value', { exact: true }).fill(canary)
    await dialog.getByRole('button', { name: 'Store', exact: true }).click()
    await secrets.getByText('CANARY', { exact: true }).waitFor()

    const exporting = section(page, 'Export')
    await exporting.getByRole('switch', { name: 'Send to a collector' }).check()
    await exporting.getByLabel('Endpoint').fill('http://127.0.0.1:9')
    await exporting.getByRole('button', { name: 'Add header' }).click()
    await exporting.getByLabel('Name of header 1').fill('authorization')
    await exporting.getByLabel('Value of header 1').fill(`Bearer ${canary}`)
    await exporting.getByRole('button', { name: 'Save' }).click()
    await exporting.getByText('Stored: authorization').waitFor()
    await view.expectAccessible()

    await page.reload()
    await section(page, 'Export').getByText('Stored: authorization').waitFor()
    const seen = [
      await page.content(),
      await page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])),
      page.url(),
      JSON.stringify((await hub.api('GET', '/api/audit?limit=1000')).body),
      JSON.stringify((await hub.api('GET', '/api/traces?limit=1000')).body),
      JSON.stringify((await hub.api('GET', '/api/backup')).body),
    ]
    for (const text of seen) expect(text).not.toContain(canary)

    const audit = section(page, 'Audit log')
    await audit.getByLabel('Filter the audit log').fill('secret.added')
    await audit.getByText('secret.added').first().waitFor()
    expect(new URL(page.url()).searchParams.get('audit')).toBe('secret.added')
    await audit.getByText('secret.added').first().click()
    await audit.getByText('"CANARY"').waitFor()
    await hub.api('PATCH', '/api/traces/settings', { otlp: null })
    expect(view.complaints).toEqual([])
  })

  test('the public URL is checked, and a backup is taken and planned back', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#reachability')
    const reach = section(page, 'Reachability and tunnel')
    await reach.getByLabel('Public URL').fill('mcp.example.com')
    await reach.getByRole('button', { name: 'Save' }).click()
    await reach.getByText('Write an address such as').waitFor()
    await reach.getByLabel('Public URL').fill(hub.url)
    await reach.getByLabel('Always allowed').fill('127.0.0.0/8')
    await reach.getByRole('button', { name: 'Save' }).click()
    await reach.getByText('All changes saved').waitFor()
    await reach.getByRole('button', { name: 'Check the public URL' }).click()
    await reach.getByText('It leads to this hub').waitFor()
    await hub.api('PATCH', '/api/access/settings', { publicUrl: null, reachable: [] })

    const backup = section(page, 'Backup')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      backup.getByRole('button', { name: 'Download' }).click(),
    ])
    await backup.getByLabel('Backup file').setInputFiles(await file.path())
    const plan = page.getByRole('dialog', { name: /^Restore/ })
    await plan.getByText(/stay as they are|as in the file/).waitFor()
    await view.expectSound('settings-restore')
    await plan.getByRole('button', { name: 'Cancel' }).click()
    expect(view.complaints).toEqual([])
  })

  test('an owner says what admins may run, and an admin sees it and changes nothing', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/settings#host')
    const host = section(page, 'What admins may run')
    await host.getByLabel('Commands').fill('TOKEN= npx -y @acme/server-*\nnp* -y anything')
    await host.getByLabel('Folders').fill('projects')
    await host.getByRole('button', { name: 'Save' }).click()
    await host.getByText('Name one command, without *.').waitFor()
    await host.getByText('2 fields need a look').waitFor()
    await view.expectSound('settings-host')
    await host.getByLabel('Commands').fill('TOKEN= npx -y @acme/server-*')
    await host.getByLabel('Folders').fill('/srv/projects\n\n  /srv/more  ')
    await host.getByLabel('Container images').fill('ghcr.io/acme/*:*')
    await host.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await hub.api('GET', '/api/access/settings')).body).toMatchObject({
      allowedCommands: [{ command: 'npx', args: ['-y', '@acme/server-*'], env: ['TOKEN'] }],
      allowedFolders: ['/srv/projects', '/srv/more'],
      allowedImages: ['ghcr.io/acme/*:*'],
    })
    // What was typed is gone, what was saved is there.
    await page.reload()
    await expect.poll(() => host.getByLabel('Commands').inputValue()).toBe('TOKEN= npx -y @acme/server-*')
    expect(await host.getByLabel('Folders').inputValue()).toBe('/srv/projects\n/srv/more')
    expect(view.complaints).toEqual([])

    const { body } = await hub.api('POST', '/api/access/keys', { name: 'helper', role: 'admin', scopes: ['admin'] })
    await using other = await openView(browser, hub, { isSignedIn: false })
    await other.page.setExtraHTTPHeaders({ authorization: `Bearer ${(body as { key: string }).key}` })
    await other.goto('/settings#host')
    const seen = section(other.page, 'What admins may run')
    await seen.getByText('Only an owner can change this.').waitFor()
    expect(await seen.getByLabel('Commands').inputValue()).toBe('TOKEN= npx -y @acme/server-*')
    expect(await seen.getByLabel('Commands').isDisabled()).toBe(true)
    expect(await seen.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await other.expectSound('settings-host-admin')
    await hub.api('DELETE', '/api/access/keys/helper')
    await hub.api('PATCH', '/api/access/settings', { allowedCommands: [], allowedFolders: [], allowedImages: [] })
  })

  test('who may only look is offered no change', async () => {
    const { body } = await hub.api('POST', '/api/access/keys', { name: 'looker', role: 'viewer', scopes: ['admin'] })
    await using view = await openView(browser, hub, { isSignedIn: false })
    const { page } = view
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${(body as { key: string }).key}` })
    await view.goto('/settings')
    await section(page, 'Retention').getByText('Only an admin can change this.').waitFor()
    expect(await page.getByRole('button', { name: /^(Add|Save|Revoke|Rotate|Change what)/ }).count()).toBe(0)
    expect(await page.getByRole('region', { name: /Audit log|Backup/ }).count()).toBe(0)
    expect(await section(page, 'Retention').getByLabel('Keep calls for').isDisabled()).toBe(true)
    await view.expectSound('settings-viewer')
    await hub.api('DELETE', '/api/access/keys/looker')
  })

  test('it is sound on every screen and in both themes, and anchors lead to its sections', async () => {
    for (const [width, theme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
      [320, 'dark'],
    ] as const) {
      await using view = await openView(browser, hub, { width, theme })
      const { page } = view
      await view.goto('/settings')
      await section(page, 'Audit log').getByRole('listitem').first().waitFor()
      const anchors = page.getByRole('navigation', { name: 'Settings' })
      await (width < 1000
        ? page.getByLabel('Go to').selectOption('retention')
        : anchors.getByRole('link', { name: 'Retention' }).click())
      await (width < 1000
        ? page.locator('option:checked', { hasText: 'Retention' }).waitFor({ state: 'attached' })
        : anchors.locator('a[aria-current="location"]', { hasText: 'Retention' }).waitFor())
      expect(new URL(page.url()).hash).toBe('#retention')
      await view.expectSound('settings')
    }
  })
})

function section(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true })
}

async function initialize(hub: TestHub, key: string): Promise<number> {
  const response = await fetch(hub.endpoint, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  await response.body?.cancel()
  return response.status
}
