import type { EventPage, ServerView, TeamView } from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'
import { startTeamHub, succeed, type TeamHub } from '../agents/start-team-hub.ts'
import { serverProgram, waitFor } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView, type View } from './open-browser.ts'

describe.skipIf(!hasChromium)('servers and teams', () => {
  let place: TeamHub
  let browser: Browser
  const api = <T>(method: string, path: string, body?: unknown) => succeed<T>(place.hub, method, path, body)
  const team = (name: string) => api<TeamView>('GET', `/api/teams/${name}`)

  beforeAll(async () => {
    place = await startTeamHub({ webFolder: await buildPages() })
    const { llm, addSession } = place
    llm.script = answer
    await addSession({ name: 'coder', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
    await addSession({ name: 'spare', provider: 'anthropic', model: 'claude-x', baseUrl: llm.baseUrl('anthropic') })
    await addSession({ name: 'planner', provider: 'google', model: 'gemini-x', baseUrl: llm.baseUrl('google') })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await place?.[Symbol.asyncDispose]()
  })

  test('a team is made with members, found in the list, and deleted', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers')
    await page.getByRole('link', { name: 'facade' }).waitFor()
    await page.getByRole('link', { name: 'New server' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByLabel('Name').evaluate((field) => field === document.activeElement)).toBe(true)
    await page.getByText('1 field needs a look').waitFor()
    await view.expectSound('servers-new-problem')
    await page.getByLabel('Name').fill('alpha')
    await page.getByText('/api/mcp/servers/alpha/stream').waitFor()
    await page.getByLabel('Description').fill('Codes and plans.')
    for (const [session, role] of [
      ['coder', 'code'],
      ['spare', 'code'],
      ['planner', 'planner'],
    ] as const) {
      await page.getByLabel('Add existing session').selectOption(session)
      await page.getByLabel('Role').selectOption(role)
      await page.getByRole('button', { name: 'Add member' }).click()
    }
    await view.expectSound('servers-new-team')
    await page.keyboard.press('Control+s')
    await page.waitForURL('**/servers/alpha?tab=diagnostics')
    expect((await team('alpha')).members.map(({ session, role }) => [session, role])).toEqual([
      ['coder', 'code'],
      ['spare', 'code'],
      ['planner', 'planner'],
    ])

    await view.goto('/servers')
    await page.getByRole('switch', { name: 'alpha is enabled' }).uncheck()
    await waitFor(async () => !(await team('alpha')).enabled || undefined)
    await page.getByText('Turned off').filter({ visible: true }).waitFor()
    await page.getByRole('switch', { name: 'alpha is enabled' }).check()
    await page.getByRole('button', { name: 'Actions of alpha' }).click()
    await page.getByRole('menuitem', { name: 'Test' }).click()
    await page.getByText('The test passed in').filter({ visible: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('alp')
    await page.getByRole('link', { name: 'facade' }).waitFor({ state: 'detached' })
    await view.expectSound('servers-list-filtered')
    await page.getByLabel('Filter servers').fill('')

    await api('POST', '/api/teams', { name: 'gone' })
    await page.getByRole('button', { name: 'Actions of gone' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete team' }).click()
    await page.getByRole('link', { name: 'gone', exact: true }).waitFor({ state: 'detached' })
    expect((await place.hub.api('GET', '/api/teams/gone')).status).toBe(404)
    await view.expectSound('servers-list')
  })

  test('members are put in another order by dragging, with keys and with buttons, and it is said', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    const order = async () =>
      (await team('alpha')).members.toSorted((a, b) => a.priority - b.priority).map(({ session }) => session)
    const expectOrder = (...names: string[]) =>
      waitFor(async () => (await order()).join() === names.join() || undefined)
    await view.goto('/servers/alpha?tab=routing')
    await page.getByRole('button', { name: 'Move spare up' }).click()
    await expectOrder('spare', 'coder', 'planner')
    await page.getByText('spare is now 1 of 3.').waitFor()
    expect(await focusedName(page)).toBe('Move spare up')

    await page.getByRole('button', { name: 'Move spare, 1 of 3' }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await expectOrder('coder', 'spare', 'planner')
    await page.getByRole('button', { name: 'Move spare, 2 of 3' }).waitFor()
    expect(await focusedName(page)).toBe('Move spare, 2 of 3')

    await page.keyboard.press('Space')
    await page.getByText(/^(Picked up spare, 2 of 3|spare would be 2 of 3)\.$/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByText('spare would be 3 of 3.').waitFor()
    await page.keyboard.press('Space')
    await expectOrder('coder', 'planner', 'spare')

    await page.getByRole('button', { name: 'Move spare, 3 of 3' }).waitFor()
    await drag(page, 'Move spare, 3 of 3', 'Move coder, 1 of 3')
    await expectOrder('spare', 'coder', 'planner')

    await page.getByRole('switch', { name: 'spare is enabled in this team' }).uncheck()
    await page.getByText('spare is disabled in this team').waitFor()
    expect((await team('alpha')).members.find(({ session }) => session === 'spare')?.enabled).toBe(false)
    await page.getByRole('switch', { name: 'spare is enabled in this team' }).check()
    await page.getByLabel('Calls at once of coder').fill('0')
    await page.keyboard.press('Enter')
    await page.getByText('Use 1 to 256.').waitFor()
    expect(await page.getByLabel('Calls at once of coder').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Calls at once of coder').fill('2')
    await page.keyboard.press('Enter')
    await page.getByText('coder takes 2 at once now').waitFor()
    await page.getByRole('button', { name: 'Remove planner from the team' }).click()
    await expectOrder('spare', 'coder')
    await page.getByLabel('Role', { exact: true }).selectOption('planner')
    await page.getByRole('button', { name: 'Add member' }).click()
    await expectOrder('spare', 'coder', 'planner')
  })

  test('a rule changes who would answer, and the page says why', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/alpha?tab=routing')
    const decision = page.getByRole('region', { name: 'Who would answer team.generate_code now' })
    await decision.getByRole('status').getByText('spare').waitFor()
    await page.getByLabel('Add to prefer for team.generate_code').selectOption('openai')
    await page.getByLabel('Add to fall back to for team.generate_code').selectOption('planner')
    await page.getByRole('button', { name: 'Save' }).click()
    await decision.getByRole('status').getByText('coder').waitFor()
    await decision.getByText("preferred as 'openai'").waitFor()
    await decision.getByText("fallback as 'planner'").waitFor()
    expect((await team('alpha')).routing).toEqual({
      'team.generate_code': { prefer: ['openai'], fallback: ['planner'] },
    })
    await view.expectSound('servers-routing')
  })

  test('paths are chips that are checked when they are saved, and can be tried before', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/alpha?tab=security')
    await page.getByRole('switch', { name: 'Enable path policy' }).check()
    await page.getByLabel('Allowed roots').fill(place.workspace)
    await page.keyboard.press('Enter')
    await page.getByLabel('Denied paths').fill('tmp/**')
    await page.keyboard.press('Enter')
    await page.getByLabel('Path', { exact: true }).fill('src/index.ts')
    await page.getByText('May be read and written').waitFor()
    await page.getByLabel('Path', { exact: true }).fill('tmp/a.txt')
    await page.getByText("the denied glob 'tmp/**' matches it").waitFor()
    await page.getByLabel('Path', { exact: true }).fill('/etc/passwd')
    await page.getByText(`it is outside of`).waitFor()
    await view.expectSound('servers-security')
    await page.getByLabel('Allowed roots').fill('/no/such/folder')
    await page.keyboard.press('Enter')
    await page.getByLabel('Denied paths').fill('[a')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Basic' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is no folder /no/such/folder').waitFor()
    await page.getByText("The glob '[a' has a '['").waitFor()
    await page.getByText('2 fields need a look').waitFor()
    await page.getByRole('button', { name: 'Remove /no/such/folder' }).click()
    await page.getByRole('button', { name: 'Remove [a' }).click()
    await page.getByLabel('Hop limit').fill('4')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('All changes saved').waitFor()
    const { paths, hasPathPolicy, hopLimit } = await team('alpha')
    expect({ hasPathPolicy, hopLimit, roots: paths.roots }).toEqual({
      hasPathPolicy: true,
      hopLimit: 4,
      roots: [place.workspace],
    })
    expect(paths.denied).toContain('tmp/**')
  })

  test('a test shows initialize and tools/list, a sample call works in a folder, and its time is drawn', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/alpha')
    await page.getByRole('button', { name: 'Test connection' }).first().click()
    await page.getByRole('heading', { name: /^Connected in/ }).waitFor()
    await page.getByText('What the server said').click()
    await page.getByText('"supportedVersions"').waitFor()
    await page.getByRole('tab', { name: 'tools/list' }).click()
    await page.getByText('"team.plan_task"').first().waitFor()
    const tool = page.getByLabel('Tool', { exact: true })
    const [frame, control] = await Promise.all([tool.locator('..').boundingBox(), tool.boundingBox()])
    expect(frame!.width - control!.width).toBeLessThan(4)
    await tool.selectOption('team.plan_task')
    await page.getByRole('button', { name: 'Call team.plan_task' }).click()
    await page.getByText('Still needed: goal.').waitFor()
    await page.getByLabel(/^goal/).fill('Add two numbers')
    await page.getByLabel(/Working directory \(cwd\)/).fill(`${place.workspace}/src`)
    await page.getByRole('button', { name: 'Call team.plan_task' }).click()
    await page.getByText('Add, then test.').first().waitFor()
    await page.getByRole('img', { name: /^Latency of calls/ }).waitFor()
    expect(await page.locator('svg[role=img] circle, svg[role=img] polyline').count()).toBeGreaterThan(2)
    expect(await page.getByRole('link', { name: 'See the trace of this call' }).getAttribute('href')).toMatch(/trace=/)
    await view.expectSound('servers-diagnostics')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download JSON trace' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.json$/)
  })

  test('a key is made, shown once, opens the server to a real client, and is nowhere afterwards', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/alpha?tab=access')
    await page.getByLabel('Who may use it').selectOption('required')
    await page.getByLabel('Key header').fill('X-Team-Key')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('All changes saved').waitFor()
    await page.getByLabel('New key for this server').fill('laptop')
    await page.getByRole('button', { name: 'Make key' }).click()
    const dialog = page.getByRole('dialog', { name: 'The key laptop' })
    const key = (await dialog.getByRole('code').first().textContent())!
    await view.expectSound('servers-key')
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor()
    expect(await page.content()).not.toContain(key)
    await page.reload()
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href]))).not.toContain(key)
    await view.expectSound('servers-access')

    const connect = (headers: Record<string, string>) => {
      const client = new modern.Client({ name: 'keyed', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const url = new URL('/api/mcp/servers/alpha/stream', place.hub.url)
      const transport = new modern.StreamableHTTPClientTransport(url, { requestInit: { headers } })
      return client.connect(transport).then(() => client)
    }
    await expect(connect({})).rejects.toThrow('401')
    const client = await connect({ 'x-team-key': key })
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
    await client.close()
    await page.getByRole('button', { name: 'Connect a client' }).click()
    await page.getByText('<your key>').first().waitFor()
    await view.expectSound('servers-connect')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No key opens this server yet.').waitFor()
    await expect(connect({ 'x-team-key': key })).rejects.toThrow('401')
    await api('PATCH', '/api/servers/alpha', { access: 'auto', keyHeader: 'authorization' })
  })

  test('a command is hosted with its arguments in view, edited, and deleted with its connector', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/new')
    await page.getByLabel('Name').fill('notes')
    await page.getByLabel('Kind').selectOption('custom')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A stdio connector needs a command.').waitFor()
    await page.getByRole('navigation', { name: 'Steps' }).getByText('Transport, 1 to fix').waitFor()
    await page.getByRole('textbox', { name: 'Executable' }).fill(process.execPath)
    const argument = page.getByRole('textbox', { name: 'Arguments' })
    await argument.fill(serverProgram('everything'))
    await page.keyboard.press('Enter')
    await argument.fill('stdio')
    await page.keyboard.press('Enter')
    await page.getByText(`${process.execPath} ${serverProgram('everything')} stdio`).waitFor()
    await page.getByRole('button', { name: 'Add variable' }).click()
    await page.getByLabel('Name of variable 1').fill('API_TOKEN')
    await page.getByLabel('Value of API_TOKEN').fill('canary-of-servers')
    await view.expectSound('servers-new-custom')
    await page.getByRole('switch', { name: 'Make a key for it when it is saved' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It is not shown again').waitFor()
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.waitForURL('**/servers/notes?tab=diagnostics')
    await page.getByRole('button', { name: 'Test connection' }).first().click()
    await page.getByRole('heading', { name: /^Connected in/ }).waitFor()

    await page.getByRole('tab', { name: 'Transport' }).click()
    await page.getByText('Stored', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('canary-of-servers')
    await page.getByRole('button', { name: /^Edit stdio/ }).focus()
    await page.keyboard.press('Alt+ArrowLeft')
    await page.getByText(`${process.execPath} stdio ${serverProgram('everything')}`).waitFor()
    await page.getByRole('link', { name: 'Servers' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('tab', { name: 'Basic' }).click()
    await page.getByLabel('Description').fill('Everything there is.')
    await page.keyboard.press('Control+s')
    await page.getByText('All changes saved').waitFor()
    expect(await api<ServerView>('GET', '/api/servers/notes')).toMatchObject({ description: 'Everything there is.' })
    await page.getByRole('tab', { name: 'Tools' }).click()
    await page.getByText('echo', { exact: true }).waitFor()
    await view.expectSound('servers-tools')

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Delete the connector notes too').waitFor()
    await page.getByRole('button', { name: 'Delete server' }).click()
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
    expect((await place.hub.api('GET', '/api/connectors/notes')).status).toBe(404)
  })

  test('a server at another address is hosted here', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers/new')
    await page.getByLabel('Name').fill('far')
    await page.getByLabel('Kind').selectOption('custom')
    await page.getByRole('combobox', { name: 'Transport' }).selectOption('stream')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A stream connector needs a base URL.').waitFor()
    await page.getByLabel('Base URL').fill(place.hub.url)
    await page.getByLabel('Endpoint path').fill('/api/mcp/servers/alpha/stream')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/servers/far?tab=diagnostics')
    await page.getByRole('button', { name: 'Test connection' }).first().click()
    await page.getByRole('heading', { name: /^Connected in/ }).waitFor()
    expect(await api<ServerView>('GET', '/api/servers/far')).toMatchObject({ connector: 'far', kind: 'custom' })
    await page.getByRole('tab', { name: 'Transport' }).click()
    await page.getByText('/api/mcp/servers/far/stream').first().waitFor()
    await view.expectSound('servers-hosted')
  })

  test('the hub itself is a server whose tools are known', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await view.goto('/servers')
    const own = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'herma', exact: true }) })
    await own.getByRole('cell', { name: '14', exact: true }).waitFor()
    await view.goto('/servers/herma?tab=tools')
    await page.getByText('add_connector', { exact: true }).waitFor()
    expect(await page.getByRole('list', { name: 'Tools' }).getByRole('listitem').count()).toBe(14)
  })

  test('a team that cannot be set up leaves nothing that stands in the way of the next attempt', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    await page.route('**/api/servers/beta', (route) => route.fulfill(outOfOrder), { times: 1 })
    await view.goto('/servers/new')
    await page.getByLabel('Name').fill('beta')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(outOfOrderText).waitFor()
    await waitFor(async () => (await place.hub.api('GET', '/api/teams/beta')).status === 404 || undefined)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/servers/beta?tab=routing')
    expect((await team('beta')).name).toBe('beta')
    await api('DELETE', '/api/teams/beta')
  })

  test('what cannot be asked for is said to be so, and not that there is none', async () => {
    await using view = await openView(browser, place.hub)
    const { page } = view
    for (const path of ['sessions', 'teams/alpha/decisions', 'connectors'])
      await page.route(`**/api/${path}`, (route) => route.fulfill(outOfOrder))
    await view.goto('/servers/alpha?tab=routing')
    await page.getByText('Cannot show who would answer.').waitFor()
    await page.getByText('Cannot show the sessions.').waitFor()
    expect(await page.getByText('There is no session yet').count()).toBe(0)
    await view.goto('/servers/new')
    await page.getByLabel('Kind').selectOption('custom')
    await page.getByLabel('What it serves').selectOption('connector')
    await page.getByText('Cannot show the connectors.').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('combobox', { name: 'Connector' }).waitFor()
  })

  test('who may only look changes nothing, not even on the page', async () => {
    const body = { name: 'looker', role: 'viewer', scopes: ['admin'] }
    const { key } = await api<{ key: string }>('POST', '/api/access/keys', body)
    await using view = await openView(browser, place.hub, { isSignedIn: false })
    const { page } = view
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${key}` })
    await view.goto('/servers/alpha?tab=security')
    await page.getByText('tmp/**', { exact: true }).waitFor()
    expect(await page.getByLabel('Denied paths').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Remove tmp/**' }).isDisabled()).toBe(true)
    await view.expectSound('servers-viewer')
    await api('DELETE', '/api/access/keys/looker')
  })

  test.each([320, 390])('a window of %i px has the actions of a server in one row', async (width) => {
    await using view = await openView(browser, place.hub, { width })
    await view.goto('/servers/alpha')
    const actions = ['Connect a client', 'More actions'].map((name) => view.page.getByRole('button', { name }))
    const boxes = await Promise.all(
      [view.page.getByRole('switch', { name: 'Enabled' }), ...actions].map((action) => action.boundingBox()),
    )
    const middles = boxes.map((box) => box!.y + box!.height / 2)
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4)
    await view.page.getByRole('button', { name: 'Test', exact: true }).click()
    await view.page.getByRole('heading', { name: /^Connected in/ }).waitFor()
  })

  test('a tab that an address opens is in sight on a phone', async () => {
    await using view = await openView(browser, place.hub, { width: 390 })
    await view.goto('/servers/alpha?tab=tools')
    const tab = view.page.getByRole('tab', { name: 'Tools' })
    await expect
      .poll(async () => {
        const box = await tab.boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390
      })
      .toBe(true)
  })

  test.each([
    { width: 390, theme: 'dark' },
    { width: 1280, theme: 'dark' },
  ] as const)('every state is sound in a window of $width px in the $theme theme', async (options) => {
    await using view = await openView(browser, place.hub, options)
    await visitAll(view, (name) => view.expectSound(name))
  })

  // 1024 is where the pages become wide ones, with the least room for it.
  test.each([320, 1024])('nothing is wider than a window of %i px', async (width) => {
    await using view = await openView(browser, place.hub, { width })
    await visitAll(view, () => view.expectNoOverflow())
  })

  test('what is known of a call of a team leads to the team and to who was asked', async () => {
    await place.addTeam({ name: 'facts', members: [{ session: 'coder', role: 'code' }] })
    const client = await place.connect('/api/mcp/servers/facts/stream', 'auto')
    await client.callTool({ name: 'team.generate_code', arguments: { spec: 'Say hello.' } })
    const routed = await waitFor(async () => {
      const { events } = await api<EventPage>('GET', '/api/traces?kind=team.routed&server=facts')
      return events[0]
    })
    for (const width of [1280, 390]) {
      await using view = await openView(browser, place.hub, { width })
      const { page } = view
      await view.goto(`/traces?trace=${routed.traceId}`)
      const panel = page.getByRole('region', { name: 'team.generate_code' })
      await panel.getByRole('tab', { name: 'Facts' }).click()
      const linksOf = async (label: string) => {
        const value = panel
          .locator('dt', { hasText: new RegExp(`^${label}$`) })
          .locator('xpath=following-sibling::dd[1]')
        return value.getByRole('link').first().getAttribute('href')
      }
      expect(await linksOf('Server')).toBe('/servers/facts')
      // No connector has anything to do with it.
      expect(await linksOf('Connector')).toBe('/servers/facts')
      await view.expectSound(`trace-team-call-${width}`)
      await panel.getByRole('treeitem').filter({ hasText: 'coder' }).first().click()
      expect(await linksOf('Session')).toBe('/sessions/coder')
      expect(await linksOf('Asked')).toBe('/sessions/coder')
      await view.expectSound(`trace-team-member-${width}`)
      await panel.locator('dd').getByRole('link', { name: 'coder', exact: true }).first().click()
      await page.waitForURL('**/sessions/coder*')
    }
  })
})

const tabs = ['Basic', 'Transport', 'Routing & Members', 'Security & Paths', 'Diagnostics', 'Access', 'Tools']

const outOfOrderText = 'The database does not answer.'
const outOfOrder = {
  status: 503,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'STORE_UNAVAILABLE', message: outOfOrderText } }),
}

/** Every page and tab in turn. */
async function visitAll(view: View, look: (name: string) => Promise<void>): Promise<void> {
  const { page } = view
  await view.goto('/servers')
  await page.getByRole('link', { name: 'alpha' }).waitFor()
  await look('servers-list')
  await view.goto('/servers/new')
  await page.getByLabel('Name').waitFor()
  await look('servers-new')
  await page.getByLabel('Kind').selectOption('custom')
  await look('servers-new-custom')
  await view.goto('/servers/alpha')
  for (const tab of tabs) {
    await page.getByRole('tab', { name: tab, exact: true }).click()
    await page.getByText('Asking for').waitFor({ state: 'detached' })
    await look(`servers-tab-${tab.split(' ')[0]!.toLowerCase()}`)
  }
  await view.goto('/servers/session:coder')
  await page.getByRole('link', { name: 'the session itself' }).waitFor()
  await look('servers-session')
  await view.goto('/servers/no-such')
  await page.getByText('There is no server no-such').waitFor()
}

/** A model that plans. */
function answer({ messages }: FakeRequest): Reply {
  const plan = {
    summary: 'Add, then test.',
    steps: [{ title: 'Add', detail: 'Write add.', role: 'code', depends_on: [] }],
    risks: [],
  }
  return { text: messages.length === 0 ? '' : JSON.stringify(plan) }
}

async function focusedName(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null)
}

async function drag(page: Page, from: string, to: string): Promise<void> {
  const [start, end] = await Promise.all(
    [from, to].map(async (name) => (await page.getByRole('button', { name }).boundingBox())!),
  )
  await page.mouse.move(start!.x + 8, start!.y + 8)
  await page.mouse.down()
  await page.mouse.move(start!.x + 8, start!.y - 20, { steps: 4 })
  await page.mouse.move(end!.x + 8, end!.y + 4, { steps: 8 })
  await page.mouse.up()
}
