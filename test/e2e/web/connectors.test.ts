import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ConnectorView, NewApiKey, SecretView, TestReport } from '@herma/contract'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOAuthServer } from '../../fixtures/start-oauth-server.ts'
import { startProtectedServer } from '../../fixtures/start-protected-server.ts'
import { startEverything, type EverythingServer } from '../start-everything.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

const canary = 'canary-7Qm2x9Rz4Lk8'
const { execPath: node } = process

describe.skipIf(!hasChromium)('the connectors pages', () => {
  let hub: TestHub
  let browser: Browser
  let remote: EverythingServer

  beforeAll(async () => {
    ;[hub, browser, remote] = await Promise.all([
      buildPages().then((webFolder) => startTestHub({ webFolder })),
      openBrowser(),
      startEverything('streamableHttp'),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await remote?.[Symbol.asyncDispose]()
    await hub?.stop()
  })

  const stored = async (name: string) => (await hub.api('GET', `/api/connectors/${name}`)).body as ConnectorView

  /** With a change that is not saved, and so with the secret that is stored. */
  const testChanged = async () => {
    const body = { changes: { description: 'never saved' }, tool: 'get-env', arguments: {} }
    return (await hub.api('POST', '/api/connectors/everything/test', body)).body as TestReport
  }

  test('an empty list says how to begin, in both themes and on a phone', async () => {
    for (const options of [{}, { width: 320, theme: 'dark' as const }]) {
      await using view = await openView(browser, hub, options)
      await view.goto('/connectors')
      await view.page.getByRole('link', { name: 'Add a connector' }).waitFor()
      await view.expectSound('connectors-empty')
    }
  })

  test('a form with mistakes says what is wrong at each field, and Save leads to the first', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    const { save } = controls(page)
    await view.expectSound('connector-new')
    await save.click()
    await page.getByText('A stream connector needs a base URL.').waitFor()
    await expectFocus(page.getByLabel('Name', { exact: true }))
    await page.getByText('2 to fix').waitFor()
    await page.getByRole('radio', { name: 'stdio' }).check()
    await page.getByText('A stdio connector needs a command.').waitFor()
    await page.getByRole('button', { name: 'Add variable' }).click()
    await page.getByLabel('Name of variable 1').fill('API_KEY')
    await save.click()
    await page.getByText('Type the value of API_KEY.').waitFor()
    await view.expectSound('connector-mistakes')
  })

  test('a program is added with arguments, a pasted .env and secrets that are never seen again', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    const answers = collectAnswers(page)
    await view.goto('/connectors/new')
    await fillEverything(page)
    await paste(page, page.getByLabel('Name of variable 1'), `# from .env\nLOG_LEVEL=debug\nAPI_KEY="${canary}"\n`)
    expect(await page.getByRole('switch', { name: 'API_KEY is secret' }).getAttribute('aria-checked')).toBe('true')
    expect(await page.getByRole('switch', { name: 'LOG_LEVEL is secret' }).getAttribute('aria-checked')).toBe('false')
    await page.getByText('1 secret will be stored encrypted and never shown again.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Copy API_KEY once, before it is stored' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(canary)
    await expectPreview(page, 'Command', 'API_KEY=••••')
    await expectPreview(page, 'Effective JSON', '"value": "••••"')

    await runTest(page, 'Connected in')
    await page.getByText('What the server said').click()
    await page.getByText('"protocolVersion"').waitFor()
    await page.getByRole('tab', { name: 'tools/list' }).click()
    await page.getByText('"inputSchema"').first().waitFor()
    await view.expectSound('connector-tested')

    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { name: 'everything is saved. What next?' }).waitFor()
    await page.getByRole('button', { name: 'Replace API_KEY' }).waitFor()
    await view.expectSound('connector-saved')
    expect(await page.content()).not.toContain(canary)
    expect(await everyValue(page)).not.toContain(canary)
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByText('Starting default (STDIO) server', { exact: false }).first().waitFor()
    await view.expectSound('connector-logs')
    expect(answers.join('\n')).not.toContain(canary)
    expect(JSON.stringify(await stored('everything'))).not.toContain(canary)
    expect(
      await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
      ),
    ).not.toContain(canary)
  })

  test('what looks like a secret is stored by name with one click, and is nowhere in the page then', async () => {
    const token = ['ghp', randomBytes(18).toString('hex')].join('_')
    for (const width of [1280, 390]) {
      await using view = await openView(browser, hub, { width })
      const { page } = view
      await view.goto('/connectors/new')
      await paste(page, page.getByLabel('Paste anything'), `npx -y hinted --token=${token}`)
      await page.getByText('Argument 3 looks like a secret.', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Store as secret: Argument 3' }).scrollIntoViewIfNeeded()
      await view.expectSound('connector-secret-hint')
      await page.getByRole('button', { name: 'Store as secret: Argument 3' }).click()
      await page.getByRole('button', { name: /^Edit --token=\{secret:HINTED_TOKEN/ }).waitFor()
      expect(await page.getByText('looks like a secret', { exact: false }).count()).toBe(0)
      await page.getByRole('radio', { name: /^Streamable HTTP/ }).check()
      await page.getByLabel('Base URL').fill(`https://ada:${token}@a.example/mcp`)
      await page.getByRole('button', { name: 'Store as secret: A part of the base URL' }).click()
      await page.getByText('Stored as HINTED_PASSWORD', { exact: false }).waitFor()
      expect(await page.getByLabel('Base URL').inputValue()).toMatch(
        /^https:\/\/ada:\{secret:HINTED_PASSWORD(_\d)?\}@a/,
      )
      expect(await page.content()).not.toContain(token)
      expect(await everyValue(page)).not.toContain(token)
      expect(page.url()).not.toContain(token)
    }
    const { secrets } = (await hub.api('GET', '/api/secrets')).body as { secrets: SecretView[] }
    const names = ['HINTED_PASSWORD', 'HINTED_PASSWORD_2', 'HINTED_TOKEN', 'HINTED_TOKEN_2']
    expect(secrets.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  test('servers of a pasted text are added with their secrets by name', async () => {
    const token = ['ghp', randomBytes(18).toString('hex')].join('_')
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    const servers = { pasted1: { command: 'true', args: ['--token', token] }, pasted2: { command: 'true' } }
    await paste(page, page.getByLabel('Paste anything'), JSON.stringify({ mcpServers: servers }))
    await page.getByText('true --token ••••').waitFor()
    await page.getByLabel('Store what looks like a secret by name', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Add all 2' }).click()
    await page.getByText('Added pasted1, pasted2.', { exact: false }).waitFor()
    expect((await stored('pasted1')).args).toEqual(['--token', '{secret:PASTED1_TOKEN}'])
    for (const name of ['pasted1', 'pasted2']) await hub.api('DELETE', `/api/connectors/${name}`)
  })

  test('a stored secret stays when something else changes, and can be replaced or kept', async () => {
    await using view = await openView(browser, hub, { theme: 'dark' })
    const { page } = view
    await view.goto('/connectors/everything')
    await page.getByRole('button', { name: 'Replace API_KEY' }).press('Enter')
    await expectFocus(page.getByLabel('Value of API_KEY'))
    await page.keyboard.type('other')
    await expectPreview(page, 'Changes', 'a new secret')
    await page.getByRole('button', { name: 'Undo: keep the stored API_KEY' }).press('Enter')
    await expectFocus(page.getByRole('button', { name: 'Replace API_KEY' }))
    await page.getByLabel('Description').fill('The reference server')
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.method() === 'PATCH'),
      controls(page).save.click(),
    ])
    expect(request.postDataJSON()).toEqual({ description: 'The reference server' })
    await page.getByText('All saved').waitFor()
    // Nothing is sent when nothing is different.
    const isSent = await Promise.race([
      page.waitForRequest((each) => each.method() === 'PATCH').then(() => true),
      page.keyboard
        .press('Control+s')
        .then(() => page.waitForTimeout(500))
        .then(() => false),
    ])
    expect(isSent).toBe(false)
    // The secret that is not on the page is used by a test with unsaved changes.
    await page.getByLabel('Value of LOG_LEVEL').fill('info')
    await runTest(page, 'Connected in')
    await page.getByText('The form has changed since.').waitFor({ state: 'detached' })
    const report = await testChanged()
    expect(report.call).toMatchObject({ content: [{ text: expect.stringContaining('"API_KEY": "••••"') }] })
    await page.getByLabel('Value of LOG_LEVEL').fill('warn')
    await page.getByText('The form has changed since.').waitFor()
    await view.expectSound('connector-edit')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('All saved').waitFor()
  })

  test('what somebody else saves meanwhile is kept, and shown once this form is saved', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/everything')
    await page.getByLabel('Description').fill('Mine')
    await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/api/connectors/everything')),
      hub.api('PATCH', '/api/connectors/everything', { notes: 'Theirs' }),
    ])
    await controls(page).save.click()
    await page.getByText('All saved').waitFor()
    await expect.poll(() => page.getByLabel('Notes').inputValue()).toBe('Theirs')
    expect(await stored('everything')).toMatchObject({ description: 'Mine', notes: 'Theirs' })
  })

  test('a tool is called with a form made from its schema', async () => {
    await using view = await openView(browser, hub, { width: 390, theme: 'dark' })
    const { page } = view
    await view.goto('/connectors/everything')
    await runTest(page, 'Connected in')
    await page.getByText('Call a tool').click()
    await page.getByLabel('Tool', { exact: true }).selectOption('get-sum')
    await page.getByRole('button', { name: 'Call get-sum' }).click()
    await page.getByText('Give a value to: a, b.').waitFor()
    await page.getByLabel('a', { exact: true }).fill('19')
    await page.getByLabel('b', { exact: true }).fill('23')
    await page.getByRole('button', { name: 'Call get-sum' }).press('Enter')
    await page.getByText('Sample call').waitFor()
    // The answer is where it was asked for, and the form is ready for the next call.
    await page.getByLabel('what it answered', { exact: true }).getByText('The sum of 19 and 23 is 42.').waitFor()
    await expectFocus(page.getByRole('button', { name: 'Call get-sum' }))
    expect(await page.getByLabel('b', { exact: true }).inputValue()).toBe('23')
    await page.getByText('What the server said').click()
    await page.getByRole('tab', { name: 'call result' }).click()
    await page.getByText('The sum of 19 and 23 is 42.', { exact: false }).last().waitFor()
    await view.expectSound('connector-call')
  })

  test('arguments are reordered with keys, edited in place and say so', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    await page.getByRole('radio', { name: 'stdio' }).check()
    const box = page.getByRole('textbox', { name: 'Arguments' })
    await paste(page, box, `-y '/srv/team docs' --max 10`)
    expect(await chips(page)).toEqual(['-y', '/srv/team docs', '--max', '10'])
    await page.getByRole('button', { name: 'Edit --max, 3 of 4' }).focus()
    await page.keyboard.press('Alt+ArrowLeft')
    await expectFocus(page.getByRole('button', { name: 'Edit --max, 2 of 4' }))
    await page.getByText('--max is now 2 of 4.').waitFor()
    await page.getByRole('button', { name: 'Move 10, 4 of 4' }).focus()
    await page.keyboard.press('Space')
    await page.getByText('Picked up 10, 4 of 4.').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('10 would be 3 of 4.').waitFor()
    await page.keyboard.press('Space')
    await page.getByText('10 is now 3 of 4.').waitFor()
    await expectFocus(page.getByRole('button', { name: 'Move 10, 3 of 4' }))
    expect(await chips(page)).toEqual(['-y', '--max', '10', '/srv/team docs'])
    await page.getByRole('button', { name: 'Edit 10, 3 of 4' }).press('Enter')
    await page.getByLabel('argument 3').fill('20')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit 20, 3 of 4' }).click()
    await page.getByRole('button', { name: 'Move 20 before' }).click()
    await page.getByRole('button', { name: 'Edit -y, 1 of 4' }).press('Delete')
    await page.getByRole('button', { name: /^Insert \{cwd\}/ }).click()
    await page.keyboard.press('Enter')
    expect(await chips(page)).toEqual(['20', '--max', '/srv/team docs', '{cwd}'])
    await page
      .getByRole('button', { name: 'Move 20, 1 of 4' })
      .dragTo(page.getByRole('button', { name: 'Edit {cwd}, 4 of 4' }))
    expect(await chips(page)).toEqual(['--max', '/srv/team docs', '{cwd}', '20'])
    await page.getByText('What these mean').click()
    await view.expectSound('connector-arguments')
  })

  test('what is typed is one argument, spaces and all, and what is pasted is a command line', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    await page.getByRole('radio', { name: 'stdio' }).check()
    const box = page.getByRole('textbox', { name: 'Arguments' })
    await box.pressSequentially('two words')
    await page.keyboard.press('Enter')
    await box.pressSequentially(`'in quotes'`)
    await page.keyboard.press('Enter')
    await box.pressSequentially('left behind')
    await page.keyboard.press('Tab')
    await paste(page, box, '--max 10')
    expect(await chips(page)).toEqual(['two words', 'in quotes', 'left behind', '--max', '10'])
    await view.expectSound('connector-typed-arguments')
    await using phone = await openView(browser, hub, { width: 390 })
    await phone.goto('/connectors/new')
    await phone.page.getByRole('radio', { name: 'stdio' }).check()
    await phone.page.getByRole('textbox', { name: 'Arguments' }).pressSequentially('two words')
    await phone.page.keyboard.press('Enter')
    expect(await chips(phone.page)).toEqual(['two words'])
    await phone.expectSound('connector-typed-arguments-narrow')
  })

  test('keys alone fill in and save a whole form', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await page.keyboard.type('by-keys')
    await tabTo(page, page.getByLabel('Description'))
    await page.keyboard.type('Made without a mouse')
    await tabTo(page, page.getByRole('radio', { name: 'Streamable HTTP' }))
    await page.keyboard.press('ArrowDown')
    await tabTo(page, page.getByLabel('Executable'))
    await page.keyboard.type(node)
    await tabTo(page, page.getByRole('textbox', { name: 'Arguments' }))
    await page.keyboard.type(serverProgram('everything'))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Add variable' }))
    await page.keyboard.press('Enter')
    await expectFocus(page.getByLabel('Name of variable 1'))
    await page.keyboard.type('GREETING')
    await page.keyboard.press('Tab')
    await page.keyboard.type('hello')
    await page.keyboard.press('Enter')
    await expectFocus(page.getByLabel('Name of variable 2'))
    await tabTo(page, page.getByText('How clients see it'))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByLabel('Prefix of its tools'))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('keys')
    await tabTo(page, page.getByLabel('Notes'))
    await page.keyboard.type('noted')
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { name: 'by-keys', level: 1 }).waitFor()
    expect(await stored('by-keys')).toMatchObject({
      description: 'Made without a mouse',
      transport: 'stdio',
      cmd: node,
      args: [serverProgram('everything')],
      env: [{ name: 'GREETING', value: 'hello' }],
      options: { prefix: 'keys' },
      notes: 'noted',
    })
    await page.getByText('1 changed').waitFor()
  })

  test('folders and programs of the hub are picked in a dialog', async () => {
    await using view = await openView(browser, hub, { width: 390 })
    const { page } = view
    await view.goto('/connectors/new')
    await page.getByRole('radio', { name: 'stdio' }).check()
    await page.getByRole('textbox', { name: 'Working directory' }).fill('/usr')
    await page.getByRole('button', { name: 'Browse… for the working directory' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^share/ }).click()
    await dialog.getByText('/usr/share', { exact: true }).waitFor()
    await view.expectSound('connector-browse')
    await dialog.getByRole('button', { name: 'Choose this folder' }).click()
    expect(await page.getByRole('textbox', { name: 'Working directory' }).inputValue()).toBe('/usr/share')
  })

  test('what a person has at hand fills the form: an npx line, curl, and the JSON of a client', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    const box = page.getByLabel('Paste anything')
    await paste(page, box, 'npx -y @modelcontextprotocol/server-memory --flag "two words"')
    await page.getByText('Filled in', { exact: false }).waitFor()
    expect(await page.getByLabel('Executable').inputValue()).toBe('npx')
    expect(await chips(page)).toEqual(['-y', '@modelcontextprotocol/server-memory', '--flag', 'two words'])
    await paste(page, box, `curl -H 'Authorization: Bearer ${canary}' https://mcp.example.com/mcp`)
    await page.getByLabel('Base URL').waitFor()
    await expectPreview(page, 'Request', 'Authorization: ••••')
    expect(await page.getByRole('radio', { name: 'Streamable HTTP' }).isChecked()).toBe(true)
    expect(await page.locator('body').innerText()).not.toContain(canary)
    const config = {
      mcpServers: {
        one: { command: node, args: [serverProgram('memory')] },
        two: { type: 'http', url: `${remote.origin}/mcp` },
      },
    }
    await paste(page, box, JSON.stringify(config))
    await page.getByText('Found 2 servers.', { exact: false }).waitFor()
    await view.expectSound('connector-found')
    await page.getByRole('button', { name: 'Use this: two' }).click()
    expect(await page.getByLabel('Base URL').inputValue()).toBe(`${remote.origin}/mcp`)
    await page.getByRole('button', { name: 'Add all 2' }).click()
    await page.getByText('Added one, two.').waitFor()
    expect((await stored('one')).transport).toBe('stdio')
    await page.getByRole('button', { name: 'files', exact: true }).click()
    await page.getByRole('button', { name: 'Edit <folder>, 3 of 3' }).waitFor()
    await controls(page).save.click()
    await expectFocus(page.getByRole('button', { name: 'Edit <folder>, 3 of 3' }))
    await page.getByText('Put a value in place of <folder>.').waitFor()
    await page.getByRole('button', { name: 'Context7' }).click()
    await page.getByLabel('Base URL').waitFor()
    expect(await page.getByLabel('Base URL').inputValue()).toBe('https://mcp.context7.com')
    expect(await page.getByLabel('Name of X-Api-Key').inputValue()).toBe('X-Api-Key')
  })

  test('a pasted .env makes a form for a program, once for each variable, and does not stay readable', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/new')
    const box = page.getByLabel('Paste anything')
    for (const level of ['debug', 'info']) {
      await paste(page, box, `LOG_LEVEL=${level}\nAPI_KEY=${canary}\n`)
      await expect.poll(() => page.getByLabel('Value of LOG_LEVEL').inputValue()).toBe(level)
    }
    await page.getByText('Added 2 variables to the form.').waitFor()
    expect(await page.getByRole('radio', { name: 'stdio' }).isChecked()).toBe(true)
    expect(await page.getByLabel(/^Name of /).count()).toBe(2)
    expect(await box.inputValue()).toBe('')
    expect(await page.locator('body').innerText()).not.toContain(canary)
    await page.getByRole('radio', { name: 'SSE' }).check()
    await page.getByText('Saving drops the program and variables of the other transport.').waitFor()
  })

  test('what the menu of a page could not do is said on the page', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/everything')
    const problem = { error: { code: 'INTERNAL', message: 'The database is away.' } }
    await page.route('**/api/connectors/everything', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 503, json: problem }) : route.continue(),
    )
    await choose(page, 'everything', 'Restart')
    const alert = page.getByRole('alert').filter({ hasText: 'Cannot restart everything.' })
    await alert.getByText('The database is away.').waitFor()
    expect((await stored('everything')).enabled).toBe(true)
  })

  test('leaving asks first, and a failed test says why and offers the fix', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/two')
    await page.getByLabel('Base URL').fill(remote.origin)
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await runTest(page, 'The test failed')
    await page.getByRole('button', { name: 'Use /mcp' }).waitFor()
    await view.expectSound('connector-failed')
    await page.getByRole('button', { name: 'Use /mcp' }).click()
    expect(await page.getByLabel('Endpoint path').inputValue()).toBe('/mcp')
    await runTest(page, 'Connected in')
    await controls(page).save.click()
    await page.getByText('All saved').waitFor()
    expect(await stored('two')).toMatchObject({ baseUrl: remote.origin, endpointPath: '/mcp' })
  })

  test('another transport asks for what it needs, and saving drops what belonged to the old one', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/two')
    await page.getByRole('radio', { name: 'stdio' }).check()
    await page.getByText('Saving drops the URL and headers of the other transport.').waitFor()
    await controls(page).save.click()
    await expectFocus(page.getByLabel('Executable'))
    await page.getByText('A stdio connector needs a command.').waitFor()
    await page.getByLabel('Executable').fill('/nowhere/program')
    await controls(page).save.click()
    await page.getByText('All saved').waitFor()
    expect(await stored('two')).toMatchObject({ transport: 'stdio', cmd: '/nowhere/program', baseUrl: null })
  })

  test('the list shows problems first, filters, tests all, turns off, duplicates and deletes', async () => {
    await hub.api('POST', '/api/servers', { name: 'lonely', connector: 'one' })
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors')
    const rows = page.getByRole('row')
    await visible(rows.nth(1).getByText('/nowhere/program', { exact: false })).waitFor()
    await page.getByRole('button', { name: 'Test all' }).click()
    await page.getByText('3 of 4 connectors passed the test.').waitFor({ state: 'attached' })
    await view.expectSound('connectors')
    await page.keyboard.press('j')
    await expectFocus(page.getByRole('link', { name: 'two', exact: true }))
    await page.keyboard.press('/')
    await page.keyboard.type('memory')
    await rows.nth(2).waitFor({ state: 'detached' })
    expect(page.url()).toContain('filter=memory')
    await page.keyboard.press('Enter')
    await expectFocus(page.getByRole('link', { name: 'one', exact: true }))
    await page.getByLabel('Filter connectors').fill('')
    await expect.poll(() => page.url()).toBe(`${hub.url}/connectors`)
    await page.getByRole('switch', { name: 'by-keys is enabled' }).uncheck()
    await visible(page.getByRole('row', { name: /by-keys/ }).getByText('Turned off')).waitFor()

    await choose(page, 'everything', 'Duplicate')
    await page.getByRole('heading', { name: 'New connector' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('everything-copy')
    await page.getByLabel('Value of API_KEY').fill('again')
    await controls(page).save.click()
    await page.getByRole('heading', { name: 'everything-copy', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Connectors' }).first().click()

    await choose(page, 'one', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete one?' })
    await dialog.getByText('lonely').waitFor()
    await view.expectSound('connectors-delete')
    await dialog.getByRole('button', { name: 'Delete connector' }).click()
    await page.getByRole('link', { name: 'one', exact: true }).waitFor({ state: 'detached' })
    expect((await hub.api('GET', '/api/connectors/one')).status).toBe(404)
  })

  test('a time that stands alone is a mark that can be seen', async () => {
    const client = await hub.connectV2('auto')
    await client.callTool({ name: 'everything__echo', arguments: { message: 'hello' } })
    await using view = await openView(browser, hub)
    await view.goto('/connectors')
    const mark = view.page
      .getByRole('row', { name: /^everything/ })
      .first()
      .locator('svg:has(title) circle')
    await expect.poll(async () => (await mark.boundingBox())?.width, { timeout: 20_000 }).toBeGreaterThanOrEqual(4)
  })

  test('the list and the form fit on a phone, in both themes', async () => {
    for (const options of [{ width: 320 }, { width: 390, theme: 'dark' as const }, { width: 1920 }]) {
      await using view = await openView(browser, hub, options)
      await view.goto('/connectors')
      await view.page.getByRole('link', { name: 'everything', exact: true }).waitFor()
      await view.expectSound('connectors')
      await view.goto('/connectors/everything')
      await view.page.getByRole('button', { name: 'Replace API_KEY' }).waitFor()
      await view.expectSound('connector')
      // A narrow window has room for the label of one step; all have a name.
      const steps = view.page.getByRole('navigation', { name: 'Steps' }).getByRole('button')
      expect(await steps.allTextContents()).toEqual(
        [/Basic/, /Transport/, /Advanced/].map((name) => expect.stringMatching(name)),
      )
      const widths = await steps.evaluateAll((all) => all.map((each) => each.clientWidth))
      expect(widths.filter((width) => width > 40)).toHaveLength(options.width === 1920 ? 3 : 1)
    }
  })

  test('who may only look sees the settings and can change nothing', async () => {
    const key = (await hub.api('POST', '/api/access/keys', { name: 'looker', role: 'viewer', scopes: ['admin'] }))
      .body as NewApiKey
    await using view = await openView(browser, hub, { isSignedIn: false })
    await view.page.setExtraHTTPHeaders({ authorization: `Bearer ${key.key}` })
    await view.goto('/connectors/everything')
    await view.page.getByLabel('Executable').waitFor()
    expect(await view.page.getByLabel('Executable').isDisabled()).toBe(true)
    expect(await view.page.getByRole('button', { name: /^Save|^Test$/ }).count()).toBe(0)
    await view.expectNoOverflow()
    await view.expectAccessible()
  })

  test('a server that wants a sign-in says so, and is signed in to from its page', async () => {
    await using oauth = await startOAuthServer()
    await using server = await startProtectedServer(oauth, 'modern')
    await using view = await openView(browser, hub)
    const { page } = view
    await hub.api('POST', '/api/connectors', { name: 'vault', transport: 'stream', baseUrl: server.url })
    await view.goto('/connectors/vault')
    await runTest(page, 'The test failed')
    await page.getByText('The server wants you to sign in.').waitFor()
    await view.expectSound('connector-sign-in')
    await page.getByRole('button', { name: 'Sign in' }).first().click()
    await page.getByText('Signed in.').waitFor()
    await runTest(page, 'Connected in')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' })
    await hub.api('DELETE', '/api/connectors/vault')
  })

  test('a value of one’s own is stored and never shown', async () => {
    await hub.add(
      stdioConnector('mine', [serverProgram('memory')], {
        env: [{ name: 'MY_TOKEN', personal: true }],
        options: { credentials: 'personal' },
      }),
    )
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/connectors/mine?tab=credentials')
    await page.getByLabel('MY_TOKEN', { exact: true }).fill(canary)
    await page.getByRole('button', { name: 'Store my values' }).click()
    await page.getByRole('button', { name: 'Replace MY_TOKEN' }).waitFor()
    expect(await everyValue(page)).not.toContain(canary)
    await view.expectSound('connector-credentials')
  })

  test('nothing that was typed as a secret is in the database or the hub’s files', async () => {
    const log = await readFile(`${hub.stateHome}/hub.log`, 'utf8').catch(() => '')
    expect(log).not.toContain(canary)
    const { body } = await hub.api('GET', '/api/events?limit=500')
    expect(JSON.stringify(body)).not.toContain(canary)
  })
})

/** Of what is there twice, for wide and narrow windows, the one that is seen. */
function visible(locator: Locator): Locator {
  return locator.locator('visible=true')
}

function controls(page: Page) {
  return { save: page.getByRole('button', { name: 'Save connector' }) }
}

async function fillEverything(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('everything')
  await page.getByRole('radio', { name: 'stdio' }).check()
  await page.getByLabel('Executable').fill(node)
  await page.getByRole('textbox', { name: 'Arguments' }).fill(serverProgram('everything'))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Add variable' }).click()
}

async function runTest(page: Page, outcome: string): Promise<void> {
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('heading', { name: new RegExp(`^${outcome}`) }).waitFor({ timeout: 60_000 })
}

async function expectPreview(page: Page, tab: string, text: string): Promise<void> {
  await page.getByRole('tab', { name: tab }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText(text, { exact: false }).first().waitFor()
}

async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await field.focus()
  await page.evaluate((each) => navigator.clipboard.writeText(each), text)
  await page.keyboard.press('Control+v')
}

async function chips(page: Page): Promise<string[]> {
  return page.getByRole('button', { name: /^Edit .*, \d+ of \d+$/ }).allInnerTexts()
}

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Presses Tab until the control has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached ${target.toString()}`)
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate(
    (element) => element === document.activeElement || element.closest('summary') === document.activeElement,
  )
}

async function expectFocus(target: Locator): Promise<void> {
  await expect.poll(() => hasFocus(target), { timeout: 20_000 }).toBe(true)
}

/** What the fields of the page hold, besides what its text says. */
function everyValue(page: Page): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value).join('\n'),
  )
}

/** Every answer of the management API from now on. */
function collectAnswers(page: Page): string[] {
  const answers: string[] = []
  page.on('response', (response) => {
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream')
    if (!response.url().includes('/api/') || isStream) return
    // An answer that the page no longer waits for has no text.
    void response.text().then(
      (text) => answers.push(text),
      () => {},
    )
  })
  return answers
}
