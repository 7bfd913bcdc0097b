import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BindingView, SessionView, ThreadPage } from '@herma/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { obey, wishing } from '../agents/obedient-model.ts'
import { succeed } from '../agents/start-team-hub.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView, type View, type ViewOptions } from './open-browser.ts'

const canary = `sk-canary-${'0123456789abcdef'.repeat(2)}`

/** Every page is looked at in these windows. */
const windows: readonly ViewOptions[] = [
  { width: 1280, theme: 'light' },
  { width: 1280, theme: 'dark' },
  { width: 390, theme: 'dark' },
  { width: 320, theme: 'light' },
]

describe.skipIf(!hasChromium)('sessions, chat and bindings', () => {
  let hub: TestHub
  let llm: FakeLlm
  let browser: Browser
  let workspace: string

  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'herma-test-sessions-'))
    await writeFile(join(workspace, 'readme.md'), '# Demo\n')
    ;[hub, llm] = await Promise.all([startTestHub({ webFolder: await buildPages() }), startFakeLlm({ script: obey })])
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
    await llm?.stop()
    await rm(workspace, { recursive: true, force: true })
  })

  const see = async (path: string, options: ViewOptions, look: (view: View) => Promise<void>) => {
    await using view = await openView(browser, hub, options)
    await view.goto(path)
    await look(view)
  }

  test('empty pages say what belongs there and lead on', async () => {
    await see('/sessions', { width: 390 }, async (view) => {
      await view.page.getByText('No session yet').waitFor()
      await view.expectSound('sessions-empty')
      await view.page.getByRole('link', { name: 'With Ollama or another local model' }).click()
      await view.page.getByRole('heading', { name: 'New session' }).waitFor()
      expect(await view.page.getByRole('combobox', { name: 'Provider' }).inputValue()).toBe('openai-compatible')
    })
    await see('/bindings', {}, async (view) => {
      await view.page.getByRole('link', { name: 'New session' }).waitFor()
      await view.expectSound('bindings-empty')
    })
  })

  test('a session is made with a new key that is nowhere to be seen afterwards, and tested', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    const answers: string[] = []
    page.on('response', (response) => {
      if (response.url().includes('/api/'))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        )
    })
    await view.goto('/sessions/new')
    await page.getByRole('button', { name: 'Create session' }).click()
    // Nothing is sent: the first field that is wrong has the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('name')
    await view.expectSound('session-form-errors')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('helper')
    await page.getByRole('button', { name: 'Create session' }).click()
    await page.getByText('needs the name of a model').waitFor()
    expect(view.complaints.splice(0)).toEqual([expect.stringContaining('422')])
    await page.getByRole('combobox', { name: 'Model' }).fill('gpt-x')
    await page.getByLabel('Address').fill(llm.baseUrl('openai'))
    await page.getByRole('combobox', { name: 'Key', exact: true }).selectOption({ label: 'Another, with a new name…' })
    expect(await page.getByLabel('Name of the new key').inputValue()).toBe('HELPER_KEY')
    await page.getByLabel('Value of HELPER_KEY').fill(canary)
    await page.getByLabel('Instructions').fill('Be brief.')
    await page.getByRole('textbox', { name: /^Working directory/ }).fill(workspace)
    await page.getByLabel('Ask a person first').selectOption('writes')
    await page.getByRole('region', { name: 'Test' }).getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('All changes saved').waitFor()
    await page.waitForURL('**/sessions/helper/edit')
    // What was asked for on the page before is told on this one.
    await page.getByText('All is well').waitFor()
    await page.getByText("the secret 'HELPER_KEY' is stored").waitFor()
    await view.expectSound('session-form-tested')
    expect(llm.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${canary}`)
    expect(await page.content()).not.toContain(canary)
    expect(await page.evaluate(() => [...document.querySelectorAll('input')].map(({ value }) => value))).not.toContain(
      canary,
    )
    expect(answers.join('\n')).not.toContain(canary)
    const { body } = await hub.api('GET', '/api/sessions/helper')
    expect(body).toMatchObject({ keySecret: 'HELPER_KEY', hasKey: true, tools: { approval: 'writes' }, model: 'gpt-x' })
  })

  test('on a phone the report of a test comes to whoever asked for it', async () => {
    await see('/sessions/helper/edit', { width: 390 }, async ({ page }) => {
      await page.getByText('All changes saved').waitFor()
      const bar = page.locator('div').filter({ has: page.getByRole('button', { name: 'Save', exact: true }) })
      await bar.last().getByRole('button', { name: 'Test', exact: true }).click()
      const report = page.getByText('All is well')
      await report.waitFor()
      const isSeen = () => report.evaluate((element) => element.getBoundingClientRect().bottom < innerHeight)
      await expect.poll(isSeen).toBe(true)
    })
  })

  test('all settings are there, what changes is said before it is saved, and leaving is guarded', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/sessions/helper/edit')
    await page.getByLabel('Temperature').fill('3')
    // What is saved elsewhere meanwhile is kept.
    await succeed(hub, 'PATCH', '/api/sessions/helper', { instructions: 'Be briefer.' })
    await page.getByLabel('Description').fill('Helps.')
    await page.getByText('Limits and prices').click()
    await page.getByLabel('Steps in a turn').fill('12')
    await page.getByLabel('Cost of a turn, $').fill('1')
    await page.getByText('Files within reach').click()
    await page.getByLabel('Try a path').fill('readme.md')
    await page.getByText('May read and write.').waitFor()
    await page.getByLabel('Try a path').fill('../other')
    await page.getByText('Out of reach.').waitFor()
    await page.getByText('Abilities offered').click()
    await page.getByRole('switch', { name: 'Offer all that it can do' }).click()
    await page.getByRole('checkbox', { name: 'search.web' }).click()
    await page.getByText('Rules', { exact: true }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    await view.expectSound('session-form-all')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Write a number from 0 to 2, or nothing.').waitFor()
    await page.getByText('Choose a connector.').waitFor()
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await page.getByLabel('Temperature').fill('0.5')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('A limit of cost needs the prices of the model').waitFor()
    await page.getByLabel('In, $ per million').fill('1')
    await page.getByLabel('Out, $ per million').fill('2')
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved').waitFor()
    const { body } = await hub.api('GET', '/api/sessions/helper')
    expect(body).toMatchObject({
      description: 'Helps.',
      instructions: 'Be briefer.',
      temperature: 0.5,
      limits: { maxSteps: 12, maxCostUsd: 1 },
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      keySecret: 'HELPER_KEY',
    })
    expect((body as SessionView).abilities).not.toContain('search.web')
  })

  test('a cell of the matrix attaches a connector with an override, and says who set each value; keys are enough', async () => {
    await hub.add(
      stdioConnector('everything', [serverProgram('everything')], { options: { requestTimeoutMs: 90_000 } }),
    )
    await hub.add(stdioConnector('memory', [serverProgram('memory')]))
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/bindings')
    const cell = page.getByRole('button', { name: 'helper and everything: Not attached' })
    await cell.waitFor()
    await view.expectSound('bindings')
    await cell.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toContain('memory')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'everything for helper' })
    await drawer.waitFor()
    const row = (field: string) => drawer.getByRole('row').filter({ hasText: field })
    expect(await row('options.requestTimeoutMs').innerText()).toMatch(/90000\s+connector/)
    await drawer.getByRole('button', { name: 'Add variable' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('TEAM')
    await page.keyboard.press('Tab')
    await page.keyboard.type('red')
    await drawer.getByLabel('Override an option').selectOption({ label: 'Silence limit of a call' })
    await drawer.getByRole('textbox', { name: 'Silence limit of a call' }).fill('5000')
    await drawer.getByRole('switch', { name: 'All its tools' }).focus()
    await page.keyboard.press('Space')
    await drawer.getByRole('textbox', { name: 'Only these' }).fill('echo')
    await page.keyboard.press('Enter')
    await drawer.getByText(/^1 of \d+ tools$/).waitFor()
    expect(await row('env.TEAM').innerText()).toMatch(/red\s+binding/)
    expect(await row('options.requestTimeoutMs').innerText()).toMatch(/5000\s+binding/)
    await view.expectSound('bindings-drawer')
    await drawer.getByRole('button', { name: 'Attach' }).focus()
    await page.keyboard.press('Enter')
    await drawer.getByText('Saved', { exact: true }).waitFor()
    const { bindings } = await succeed<{ bindings: BindingView[] }>(hub, 'GET', '/api/bindings')
    expect(bindings).toMatchObject([
      { session: 'helper', connector: 'everything', options: { requestTimeoutMs: 5000 }, hasOwnDownstream: true },
    ])
    expect(await row('env.TEAM').innerText()).not.toContain('not saved yet')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'helper and everything: 3 overrides' }).waitFor()
    await page.getByRole('link', { name: 'Session bindings 1', exact: true }).waitFor()
    // Another one is attached and detached again; what is unsaved is asked for first.
    await page.getByRole('button', { name: 'helper and memory: Not attached' }).click()
    await page.getByRole('dialog', { name: 'memory for helper' }).getByRole('button', { name: 'Attach' }).click()
    const other = page.getByRole('dialog', { name: 'memory for helper' })
    await other.getByText('Saved', { exact: true }).waitFor()
    await other.getByRole('switch', { name: 'Enabled' }).click()
    await page.keyboard.press('Escape')
    await other.getByText('Discard what you changed?').waitFor()
    await other.getByRole('button', { name: 'Keep' }).click()
    await page.keyboard.press('Control+s')
    await other.getByText('Saved', { exact: true }).waitFor()
    await other.getByRole('button', { name: 'Detach' }).click()
    await other.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'helper and memory: Not attached' }).waitFor()
  })

  test('an answer is seen as it is written, a tool call stands in its place, and all of it is kept', async () => {
    await succeed(hub, 'PATCH', '/api/sessions/helper', { tools: { approved: ['*echo*'] } })
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/sessions/helper')
    await page.getByText('Talk to helper').waitFor()
    await view.expectSound('chat-new')
    const wish = {
      text: 'The **echo** came back:\n\n1. `one`\n2. two\n\n```js\nconst a = 1\n```\n\nThat is all of it.',
      toolCalls: [{ name: 'everything__echo', arguments: { message: 'hello' } }],
      chunkMs: 40,
    }
    await page.getByLabel('Message to helper').fill(wishing('Use the echo.', wish))
    await page.keyboard.press('Enter')
    await page.getByText('The echo came back:', { exact: true }).waitFor()
    // It is still being written.
    await page.getByRole('button', { name: 'Stop this turn' }).waitFor()
    expect(await page.getByText('That is all of it.', { exact: true }).count()).toBe(0)
    await page.getByText('That is all of it.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'one' }).count()).toBe(1)
    const call = page.locator('details').filter({ hasText: 'message: "hello"' })
    await call.locator('summary').click()
    await call.getByText('Echo: hello').waitFor()
    await page
      .getByRole('article')
      .getByText(/30 tokens · under \$/)
      .waitFor()
    await view.expectSound('chat-answered')
    await page.reload()
    await page.getByText('That is all of it.', { exact: true }).waitFor()
    await page.getByText(/^ok · [\d.]+ m?s$/).waitFor()
    await page.getByRole('button', { name: 'Trace', exact: true }).click()
    const trace = page.getByRole('list', { name: 'Events of the trace' })
    await trace.getByText('echo').first().waitFor()
    await view.expectSound('chat-trace')
    expect(await page.getByRole('link', { name: 'Open in traces' }).getAttribute('href')).toMatch(
      /^\/traces\?trace=[0-9a-f"%]{32}/,
    )
  })

  test('a person is asked before something is changed, and a refusal leaves everything as it is', async () => {
    await succeed(hub, 'PATCH', '/api/sessions/helper', { tools: { approval: 'always', approved: ['write_file'] } })
    await using view = await openView(browser, hub, { theme: 'dark' })
    const { page } = view
    const said = page.getByLabel('Message to helper')
    const question = page.getByRole('group', { name: /^Allow helper to/ })
    await view.goto('/sessions/helper')
    const echo = { name: 'everything__echo', arguments: { message: 'psst' } }
    await said.fill(wishing('Say it.', { text: 'Refused, it seems.', toolCalls: [echo] }))
    await page.keyboard.press('Enter')
    await question.waitFor()
    await page.getByRole('status').filter({ hasText: 'helper wants to use everything__echo.' }).waitFor()
    await view.expectSound('chat-approval')
    await question.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('Refused, it seems.', { exact: true }).waitFor()
    // The turn ends a moment after its last word.
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await page.getByText('Echo: psst').count()).toBe(0)
    // From the box where one types, one step back and Enter lead to the question.
    const write = { name: 'write_file', arguments: { path: 'allowed.txt', text: 'chat\n' } }
    await said.fill(wishing('Write it.', { text: 'Written.', toolCalls: [write] }))
    await page.keyboard.press('Enter')
    await question.getByText('allowed.txt').first().waitFor()
    await said.focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Allow once')
    await page.keyboard.press('Enter')
    await page.getByText('Allowed once.').waitFor()
    await page.getByText('Written.', { exact: true }).waitFor()
    await page.getByText('1 file changed').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await readFile(join(workspace, 'allowed.txt'), 'utf8')).toBe('chat\n')
    await view.expectSound('chat-approved')
  })

  test('what is allowed in a thread is asked again in another, what is always allowed is not', async () => {
    await succeed(hub, 'PATCH', '/api/sessions/helper', { tools: { approval: 'always', approved: [] } })
    await using view = await openView(browser, hub)
    const { page } = view
    const question = page.getByRole('group', { name: /^Allow helper to/ })
    const ask = async (text: string) => {
      const echo = { name: 'everything__echo', arguments: { message: text } }
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await page
        .getByLabel('Message to helper')
        .fill(wishing(`Say ${text}.`, { text: `Said ${text}.`, toolCalls: [echo] }))
      await page.keyboard.press('Enter')
    }
    const isSaid = (text: string) => page.getByText(`Said ${text}.`, { exact: true }).waitFor()
    await view.goto('/sessions/helper')
    await ask('one')
    await question.getByRole('button', { name: 'Allow in this thread' }).click()
    await isSaid('one')
    await ask('two')
    await isSaid('two')
    await page.getByRole('button', { name: 'New thread' }).click()
    await page.getByText('Talk to helper').waitFor()
    await ask('three')
    await question.getByRole('button', { name: 'Always allow' }).click()
    await page.getByText('Always allowed from now on.').waitFor()
    await isSaid('three')
    await page.getByRole('button', { name: 'New thread' }).click()
    await page.getByText('Talk to helper').waitFor()
    await ask('four')
    await isSaid('four')
    const { tools } = await succeed<SessionView>(hub, 'GET', '/api/sessions/helper')
    expect(tools.approved).toEqual(['everything__echo'])
  })

  test('a turn is followed after the page was loaded again, and can be stopped', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/sessions/helper')
    const slow = { text: `Slowly ${'word '.repeat(3000)}`, chunkMs: 10 }
    await page.getByLabel('Message to helper').fill(wishing('Take your time.', slow))
    await page.keyboard.press('Enter')
    await page.getByText(/^Slowly word/).waitFor()
    await page.waitForURL('**thread=*')
    await page.reload()
    await page.getByText('Take your time.').last().waitFor()
    await page.getByText(/^Slowly word/).waitFor()
    await page.getByRole('group', { name: 'Messages' }).hover()
    await page.mouse.wheel(0, -4000)
    await page.getByRole('button', { name: 'Jump to the newest' }).click()
    await page.getByRole('button', { name: 'Jump to the newest' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Stop this turn' }).click()
    await page.getByText('You stopped this turn. Nothing of it was kept.').waitFor()
    await page.getByRole('button', { name: 'Edit and send again' }).click()
    expect(await page.getByLabel('Message to helper').inputValue()).toContain('Take your time.')
    // A provider that refuses is told with what to do.
    llm.script = () => ({ status: 401 })
    await page.getByLabel('Message to helper').fill('Hello?')
    await page.keyboard.press('Enter')
    await page.getByText('The turn failed. Nothing of it was kept.').waitFor()
    llm.script = obey
    await page.getByRole('link', { name: 'Look at its settings' }).waitFor()
    await view.expectSound('chat-failed')
  })

  test('threads are found, renamed and deleted', async () => {
    await using view = await openView(browser, hub, { width: 390, theme: 'dark' })
    const { page } = view
    await view.goto('/sessions/helper')
    await page.getByRole('button', { name: 'Threads' }).click()
    const threads = page.getByRole('dialog', { name: 'Threads' })
    await threads.getByRole('link', { name: /Use the echo/ }).waitFor()
    await view.expectSound('chat-threads')
    await threads.getByRole('button', { name: /^Actions of Use the echo/ }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog', { name: 'Rename thread' }).getByLabel('Title').fill('About echoes')
    await page.keyboard.press('Enter')
    await threads.getByRole('link', { name: /About echoes/ }).waitFor()
    await threads.getByLabel('Search threads').fill('echoes')
    await expect.poll(() => threads.getByRole('link').count()).toBe(1)
    await threads.getByLabel('Search threads').fill('')
    await threads.getByRole('button', { name: /^Actions of Say it/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete thread' }).click()
    await threads.getByRole('link', { name: /Say it/ }).waitFor({ state: 'detached' })
    const { threads: left } = await succeed<ThreadPage>(hub, 'GET', '/api/sessions/helper/threads')
    expect(left.map(({ title }) => title)).toContain('About echoes')
    await threads.getByRole('link', { name: /About echoes/ }).click()
    await threads.waitFor({ state: 'detached' })
    await page.getByText('That is all of it.', { exact: true }).waitFor()
    await view.expectSound('chat-thread')
  })

  test.each(windows)('every page holds in a window of %o', async (options) => {
    const { threads } = await succeed<ThreadPage>(hub, 'GET', '/api/sessions/helper/threads')
    const { id } = threads.find(({ title }) => title === 'About echoes')!
    await using view = await openView(browser, hub, options)
    const { page } = view
    await view.goto('/sessions')
    await page.getByRole('link', { name: 'helper' }).waitFor()
    await view.expectSound('sessions')
    await view.goto(`/sessions/helper?thread=${id}`)
    await page.getByText('That is all of it.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByText('Address for MCP clients').waitFor()
    await view.expectSound('chat-details')
    await view.goto('/sessions/helper/edit')
    await page.getByText('All changes saved').waitFor()
    await view.expectSound('session-form')
    await view.goto('/bindings?session=helper&connector=everything')
    await page.getByRole('dialog', { name: 'everything for helper' }).waitFor()
    await view.expectSound('bindings-drawer')
    await page.keyboard.press('Escape')
    await page.getByText('3 overrides').waitFor()
    await view.expectSound('bindings')
  })

  test('a session is found by keys, turned off, tested and deleted from the list', async () => {
    await succeed(hub, 'POST', '/api/sessions', { name: 'spare', provider: 'anthropic', model: 'm' })
    await using view = await openView(browser, hub)
    const { page } = view
    await view.goto('/sessions')
    await page.getByText("No secret is named 'ANTHROPIC_API_KEY'").last().waitFor()
    const widthOf = async (name: string) => (await page.getByRole('columnheader', { name }).boundingBox())!.width
    expect(await widthOf('Name')).toBeGreaterThan(await widthOf('Health'))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('spare')
    await page.getByRole('switch', { name: 'spare is enabled' }).click()
    await waitFor(async () => {
      const { enabled } = await succeed<SessionView>(hub, 'GET', '/api/sessions/spare')
      return enabled ? undefined : true
    })
    await page.getByRole('button', { name: 'Actions of spare' }).click()
    await page.getByRole('menuitem', { name: 'Test' }).click()
    await page.getByRole('dialog', { name: 'Test spare' }).getByRole('button', { name: 'Test' }).click()
    await page.getByText('Something is missing').waitFor()
    await view.expectSound('session-tested')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions of spare' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete session' }).click()
    await page.getByRole('link', { name: 'spare' }).waitFor({ state: 'detached' })
  })
})
