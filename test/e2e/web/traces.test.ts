import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventPage, EventView, NewApiKey, TraceStats } from '@herma/contract'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseName, databaseUser } from '../../../packages/hub/src/platform/postgres/greet.ts'
import { readPostmasterFile } from '../../../packages/hub/src/platform/postgres/postmaster-file.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from '../start-test-hub.ts'
import { WireClient } from '../wire-client.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

/** As long as a busy machine may take. */
const patient = { timeout: 30_000 }
const canary = 'canary-traces-page-7713'

describe.skipIf(!hasChromium)('the traces page', () => {
  let hub: TestHub
  let browser: Browser

  beforeAll(async () => {
    const env = [{ name: 'SOME_TOKEN', value: canary }]
    hub = await startTestHub({
      webFolder: await buildPages(),
      connectors: [stdioConnector('every', [serverProgram('everything')], { env })],
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })

  const call = (name: string, args: object = {}) =>
    new WireClient(hub.endpoint).requestModern('tools/call', { name, arguments: args })
  const findCalls = async (filter: string): Promise<EventView[]> => {
    const { body } = await hub.api('GET', `/api/traces?kind=call.finished&${filter}`)
    return (body as EventPage).events
  }
  const findCall = (filter: string) => waitFor(async () => (await findCalls(filter))[0])
  const recordBodies = () => hub.api('PATCH', '/api/traces/capture/facade', { level: 'bodies' })
  const rows = (page: Page) => page.getByRole('table', { name: 'Calls' }).getByRole('link')

  test('who has no calls yet is told how to make one, and the first appears by itself', async () => {
    // The hub lists its own tools after a start, which is a call too.
    await hub.api('PATCH', '/api/traces/capture/facade', { level: 'off' })
    await waitFor(async () => {
      const { body } = await hub.api('GET', '/api/traces/stats')
      return (body as TraceStats).events.queued === 0 ? true : undefined
    })
    await inDatabase(hub.stateHome, (client) => client.query(`delete from event where kind = 'call.finished'`))
    await using phone = await openView(browser, hub, { width: 320, theme: 'dark' })
    await phone.goto('/traces')
    await phone.page.getByText('No calls yet').waitFor()
    await phone.expectSound('traces-empty')

    await using view = await openView(browser, hub)
    await view.goto('/traces')
    await view.page.getByText('No calls yet').waitFor()
    await view.page.getByText('Live', { exact: true }).waitFor()
    await view.expectSound('traces-empty')
    await hub.api('PATCH', '/api/traces/capture/facade', { level: 'calls' })
    await call('every__echo', { message: 'first' })
    await rows(view.page).filter({ hasText: 'every__echo' }).waitFor()
    await rows(phone.page).filter({ hasText: 'every__echo' }).waitFor()
  })

  test('pills and the address choose which calls are listed', async () => {
    await call('every__get-sum', { a: 1, b: 2 })
    await call('every__get-sum', { a: 'not a number' })
    await call('every__none')
    await call('every__trigger-long-running-operation', { duration: 1.1, steps: 1 })
    const count = (await findCalls('method=tools/call')).length
    // On a busy machine others are slow too.
    const slow = (await findCalls('method=tools/call&minMs=1000')).length
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/traces?method=tools/call')
    await expect.poll(() => rows(page).count(), patient).toBe(count)
    await page.getByText('Method: tools/call').waitFor()
    await view.expectSound('traces-list')

    await page.getByRole('button', { name: 'Errors' }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(2)
    await page.getByText('Tool error', { exact: true }).waitFor()
    await page.getByText('TOOL_NOT_FOUND').waitFor()
    await page.getByRole('button', { name: 'Errors' }).click()
    await page.getByRole('button', { name: 'Slow' }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(slow)
    await rows(page).filter({ hasText: 'long-running' }).waitFor()
    await page.reload()
    await expect.poll(() => rows(page).count(), patient).toBe(slow)
    await page.getByRole('button', { name: 'Slow' }).click()

    await page.getByRole('button', { name: 'Add filter' }).click()
    const form = page.getByRole('dialog', { name: 'Add filter' })
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    await form.getByText('Give a value.').waitFor()
    await form.getByLabel('Field').selectOption('Tool or target')
    await form.getByLabel('Value').fill('every__get-sum')
    await view.expectSound('traces-add-filter')
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(2)
    await page.getByText('Tool or target: every__get-sum').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Tool or target' }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(count)

    await page.keyboard.press('/')
    await page.keyboard.type('nothingsaysthis')
    await page.getByText('Nothing matches this filter').waitFor()
    await view.expectSound('traces-no-match')
    await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).last().click()
    await rows(page).filter({ hasText: 'every__get-sum' }).first().waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'All events' }).click()
    await page.getByRole('button', { name: 'hub.started' }).click()
    await page.getByRole('dialog', { name: 'hub.started' }).waitFor()
    await view.expectAccessible()
  })

  test('a trace opens by key beside the list, says what it does not know, and how to record it', async () => {
    await using view = await openView(browser, hub, { theme: 'dark' })
    const { page } = view
    await view.goto('/traces?target=every__none')
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), patient).toBe('A')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: 'every__none' })
    await panel.getByText('What was said in this call is not recorded.').waitFor()
    await panel.getByText(/Unknown tool/).waitFor()
    await view.expectSound('traces-open-error')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), patient).toContain('every__none')

    await call('every__get-env')
    const { traceId } = await findCall('target=every__get-env')
    await view.goto(`/traces?trace=${traceId}`)
    const environment = page.getByRole('region', { name: 'every__get-env' })
    await environment.getByRole('button', { name: 'Record messages from now on' }).click()
    await environment.getByText(/That begins with the next call/).waitFor()
    await call('every__get-env')
    const { traceId: recorded } = await findCall('target=every__get-env&limit=1')
    await view.goto(`/traces?trace=${recorded}`)
    await environment.getByText('SOME_TOKEN').first().waitFor()
    expect(await page.content()).not.toContain(canary)
    expect(await page.content()).toContain('••••')
    await view.expectSound('traces-open')
    await environment.getByRole('tab', { name: 'Facts' }).click()
    expect(await environment.getByRole('link', { name: 'every', exact: true }).getAttribute('href')).toBe(
      '/connectors/every',
    )
    await view.expectSound('traces-facts')
    await environment.getByRole('tab', { name: 'Events' }).click()
    expect(await page.content()).not.toContain(canary)
    await environment.getByText('Link and ids').click()
    await environment.getByText(`00-${recorded}-`).waitFor()
  })

  test('a call is made again, as it was and with other arguments, and the two are compared', async () => {
    await recordBodies()
    await call('every__get-sum', { a: 20, b: 2 })
    const { traceId } = await findCall('target=every__get-sum&limit=1')
    const before = (await findCalls('target=every__get-sum')).length
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto(`/traces?trace=${traceId}`)
    const panel = page.getByRole('region', { name: 'every__get-sum', exact: true })
    await panel.getByRole('button', { name: 'Replay', exact: true }).click()
    await panel.getByText('The answer is the same as then.').waitFor()
    await expect.poll(async () => (await findCalls('target=every__get-sum')).length, patient).toBe(before + 1)

    await panel.getByRole('button', { name: 'Edit and replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit and replay' })
    await dialog.getByRole('tab', { name: 'JSON' }).click()
    const json = dialog.getByLabel('Arguments as JSON')
    expect(JSON.parse(await json.inputValue())).toEqual({ a: 20, b: 2 })
    await json.fill('{ "a": 20, ')
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await dialog.getByText(/This is not JSON/).waitFor()
    await json.fill('{ "a": 20, "b": 22 }')
    await dialog.getByRole('tab', { name: 'Form' }).click()
    await view.expectSound('traces-edit')
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await panel.getByText('What differs from then').waitFor()
    await panel.getByText('content[0].text').waitFor()
    await view.expectSound('traces-replayed')
    await panel.getByRole('link', { name: 'Compare both' }).click()

    await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('tree').count(), patient).toBe(2)
    const differing = page.getByRole('region', { name: 'Arguments' })
    expect(await differing.innerText()).toMatch(/b\s+A\s+− 2\s+B\s+\+ 22/)
    await page
      .getByRole('region', { name: 'Results' })
      .getByText(/20 and 22 is 42/)
      .waitFor()
    await view.expectSound('traces-compare')
    await page.getByRole('button', { name: 'Back to the trace' }).click()
    await panel.getByRole('button', { name: 'Compare', exact: true }).click()
    const others = page.getByRole('dialog', { name: 'Compare with' })
    await expect.poll(() => others.getByRole('listitem').count(), patient).toBeGreaterThan(1)
    await view.expectSound('traces-choose-other')
    await others.getByRole('listitem').first().getByRole('button').click()
    await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
  })

  test('a call without its arguments is not guessed at: it says what is missing and asks for them', async () => {
    await hub.api('PATCH', '/api/traces/capture/facade', { level: 'calls' })
    await call('every__get-sum', { a: 1, b: 2 })
    const { traceId } = await findCall('target=every__get-sum&limit=1')
    await using view = await openView(browser, hub)
    await view.goto(`/traces?trace=${traceId}`)
    const panel = view.page.getByRole('region', { name: 'every__get-sum' })
    await panel.getByRole('button', { name: 'Replay', exact: true }).click()
    const dialog = view.page.getByRole('dialog', { name: 'Edit and replay' })
    await dialog.getByText(/arguments of this call were not recorded/).waitFor()
    await dialog.getByLabel('a', { exact: true }).fill('3')
    await dialog.getByLabel('b', { exact: true }).fill('4')
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await panel.getByText(/The sum of 3 and 4 is 7/).waitFor()
    expect(view.complaints).toEqual([])
  })

  test('a tool that may change something is called again only after a question', async () => {
    await recordBodies()
    await call('every__toggle-simulated-logging')
    const { traceId } = await findCall('target=every__toggle-simulated-logging&limit=1')
    const before = (await findCalls('target=every__toggle-simulated-logging')).length
    await using view = await openView(browser, hub)
    await view.goto(`/traces?trace=${traceId}`)
    const panel = view.page.getByRole('region', { name: 'every__toggle-simulated-logging' })
    const question = view.page.getByRole('dialog', { name: 'Call every__toggle-simulated-logging again?' })
    await panel.getByRole('button', { name: 'Replay', exact: true }).click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect((await findCalls('target=every__toggle-simulated-logging')).length).toBe(before)
    await panel.getByRole('button', { name: 'Replay', exact: true }).click()
    await view.expectSound('traces-replay-question')
    await question.getByRole('button', { name: 'Call again' }).click()
    await panel.getByText(/^Answered in/).waitFor()
    await expect
      .poll(async () => (await findCalls('target=every__toggle-simulated-logging')).length, patient)
      .toBe(before + 1)
  })

  test('what happened inside of a call stands below it, and is read with the arrow keys', async () => {
    const traceId = '5d'.repeat(16)
    const within = (parent: string) => new WireClient(hub.endpoint, { traceparent: `00-${traceId}-${parent}-01` })
    await within('a1'.repeat(8)).requestModern('tools/call', { name: 'every__echo', arguments: { message: 'outer' } })
    const { spanId = '' } = await findCall(`traceId=${traceId}`)
    await within(spanId).requestModern('tools/call', { name: 'every__none', arguments: {} })
    await waitFor(async () => ((await findCalls(`traceId=${traceId}`)).length === 2 ? true : undefined))
    for (const width of [1280, 320]) {
      await using view = await openView(browser, hub, { width, theme: width === 320 ? 'light' : 'dark' })
      const { page } = view
      await view.goto(`/traces?trace=${traceId}`)
      const spans = page.getByRole('tree', { name: 'Spans' }).getByRole('treeitem')
      await expect.poll(() => spans.count(), patient).toBe(2)
      expect(await spans.nth(1).getAttribute('aria-level')).toBe('2')
      await spans.first().focus()
      await page.keyboard.press('ArrowDown')
      await page.getByText('Unknown tool').first().waitFor()
      await view.expectSound('traces-nested')
    }
  })

  test('new calls wait while the list is paused, and are counted', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/traces?target=every__echo')
    await page.getByText('Live', { exact: true }).waitFor()
    await rows(page).first().waitFor()
    const before = await rows(page).count()
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('every__echo', { message: 'one' })
    await call('every__get-sum', { a: 1, b: 1 })
    await call('every__echo', { message: 'two' })
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await rows(page).count()).toBe(before)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => rows(page).count(), patient).toBe(before + 2)
  })

  test('what is filtered and what is open can be kept as a file, without secrets', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    const save = async (format: string) => {
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Secrets are masked').waitFor()
      await dialog.getByLabel(format, { exact: false }).first().check()
      const started = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download' }).click()
      const file = await started
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
    }
    await recordBodies()
    await call('every__get-env')
    await view.goto('/traces?target=every__get-env&kind=*')
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Download' }).click()
    await view.expectSound('traces-download')
    const { name, text } = await save('JSON')
    expect(name).toBe('traces.json')
    const { events } = JSON.parse(text) as EventPage
    expect(events.length).toBeGreaterThan(3)
    expect(new Set(events.map(({ target }) => target))).toEqual(new Set(['every__get-env']))
    expect(text).not.toContain(canary)

    const { traceId } = await findCall('target=every__get-sum&limit=1')
    await view.goto(`/traces?trace=${traceId}`)
    await page.getByRole('region', { name: 'every__get-sum' }).getByRole('button', { name: 'Download' }).click()
    const har = await save('HAR')
    expect(har.name).toBe(`trace-${traceId}.har`)
    expect(JSON.parse(har.text)).toHaveProperty('log.entries')
  })

  test('on a phone a trace takes the place of the list and gives it back', async () => {
    await recordBodies()
    await call('every__get-env')
    const { traceId } = await findCall('target=every__get-env&limit=1')
    for (const theme of ['light', 'dark'] as const) {
      await using view = await openView(browser, hub, { width: 390, theme })
      const { page } = view
      await view.goto('/traces')
      await rows(page).first().waitFor()
      await view.expectSound('traces-list')
      await rows(page).filter({ hasText: 'every__get-env' }).first().click()
      await page.getByRole('region', { name: 'every__get-env' }).getByText('Response').first().waitFor()
      expect(await rows(page).first().isVisible()).toBe(false)
      await view.expectSound('traces-open')
      await page.getByRole('button', { name: 'Back to the list' }).click()
      await rows(page).first().waitFor()
      await view.goto(`/traces?trace=${traceId}&compare=${traceId}`)
      await page.getByText('The same.').first().waitFor()
      await view.expectSound('traces-compare')
    }
  })

  test('of thousands of calls only those in sight are drawn, and scrolling brings the older ones', async () => {
    await insertCalls(hub.stateHome, 5200)
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/traces?principal=key:many')
    await rows(page).first().waitFor()
    const list = page.getByRole('table', { name: 'Calls' }).getByRole('rowgroup').last()
    const scrollOn = () =>
      list.evaluate((element) => {
        element.scrollTop = element.scrollHeight
        return element.scrollHeight
      })
    await expect.poll(scrollOn, patient).toBe(5200 * 40)
    await rows(page).filter({ hasText: 'tool-5200' }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    await view.expectSound('traces-many')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patient).toMatch(/^call-/)
  })

  test('who may not see what others did is told so, and asks for nothing', async () => {
    const { body } = await hub.api('POST', '/api/access/keys', {
      name: 'vera',
      role: 'viewer',
      scopes: ['admin'],
    })
    await using view = await openView(browser, hub, { isSignedIn: false, width: 390 })
    await view.page.setExtraHTTPHeaders({ authorization: `Bearer ${(body as NewApiKey).key}` })
    const asked: string[] = []
    view.page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await view.goto('/traces')
    await view.page.getByText('Only owners and admins see traces').waitFor()
    await view.expectSound('traces-refused')
    expect(asked.filter((path) => path.startsWith('/api/traces'))).toEqual([])
  })
})

/** Rows as a busy hub would leave them; to make as many calls would take longer than the test. */
async function insertCalls(stateHome: string, count: number): Promise<void> {
  await inDatabase(stateHome, (client) =>
    client.query(
      `insert into event (id, at, kind, trace_id, span_id, principal, server, connector, route, transport, era, method,
         target, request_bytes, response_bytes, ms, outcome, data)
       select $1::bigint - number::bigint * 1000000, to_timestamp($2::float8) - number * interval '1 ms',
         'call.finished', md5(number::text)::uuid, substr(md5(number::text), 1, 16), 'key:many', 'facade', 'every',
         'mcp:stdio', 'stream', 'modern', 'tools/call', 'tool-' || number, 120, 4000, number % 900,
         case when number % 7 = 0 then 'error' else 'ok' end, '{}'
       from generate_series(1, $3::integer) as number`,
      [String(BigInt(Date.now()) * 1_000_000n), Date.now() / 1000, count],
    ),
  )
}

async function inDatabase(stateHome: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const server = readPostmasterFile(join(stateHome, 'postgres/data'))
  if (server === undefined) throw new Error('No database runs.')
  const { socketDirectory: host, port } = server
  const client = new pg.Client({ host, port, user: databaseUser, database: databaseName })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
