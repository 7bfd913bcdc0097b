import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { prepareState } from '../../../packages/hub/src/platform/testing/prepare-state.ts'
import { createTemporaryHome } from '../../../packages/hub/src/platform/testing/temporary-home.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView } from './open-browser.ts'

describe.skipIf(!hasChromium)('the shell', () => {
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

  test('a browser that the hub does not know is told how to sign in, and sees nothing else', async () => {
    await using view = await openView(browser, hub, { isSignedIn: false, width: 390 })
    await view.goto('/connectors')
    await view.page.getByText('npx herma open').waitFor()
    expect(await view.page.getByRole('link', { name: 'Sign in with your name' }).getAttribute('href')).toBe('/login')
    await view.expectNoOverflow()
    await view.expectAccessible()
  })

  test('a login holds after a reload, in a second tab and at a bookmark, and at this port only', async () => {
    const received: string[] = []
    const other = createServer((request, response) => {
      received.push(request.headers.cookie ?? '')
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    await using view = await openView(browser, hub)
    const { page } = view
    const start = page.getByRole('heading', { name: 'Hub', level: 1 })
    await start.waitFor()
    await page.reload()
    await start.waitFor()
    const second = await page.context().newPage()
    await second.goto(`${hub.url}/connectors`)
    await second.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor()
    // The browser sends the cookie to another port, and keeps the proof from it.
    await second.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    expect(await second.evaluate(() => localStorage.length)).toBe(0)
    const cookie = received.find((each) => each.includes('herma_operator='))!
    expect((await fetch(`${hub.url}/api/status`, { headers: { cookie } })).status).toBe(401)
    // A page there gets nothing in the name of this browser either.
    const reached = await second.evaluate(
      (url) =>
        Promise.all(
          ['/api/status', '/mcp'].map((path) =>
            fetch(url + path, { method: 'POST', credentials: 'include', body: '{}' }).then(
              () => 'read',
              () => 'refused',
            ),
          ),
        ),
      hub.url,
    )
    expect(reached).toEqual(['refused', 'refused'])
    expect(view.complaints).toEqual([])
  })

  test('keys lead to every page, and the palette finds pages by a few letters', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    await page.getByRole('heading', { name: 'Hub', level: 1 }).waitFor()
    for (const [key, name] of Object.entries({ c: 'Connectors', b: 'Session bindings', t: 'Catalog', r: 'Traces' })) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await page.keyboard.press('Control+k')
    // Every page is there before anything is typed.
    await page.getByRole('option', { name: 'Settings' }).waitFor()
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('sett')
    await view.expectAccessible()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await view.expectAccessible()
    // What holds the page holds its keys too.
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    expect(view.complaints).toEqual([])
  })

  test('the palette finds the last of very many tools', async () => {
    await using view = await openView(browser, hub)
    const { page } = view
    const tools = Array.from({ length: 2000 }, (_, index) => {
      const originalName = `tool-${index + 1}`
      return { connector: 'many', originalName, name: `many__${originalName}` }
    })
    await page.route('**/api/catalog/tools*', (route) => route.fulfill({ json: { tools } }))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('tool-2000')
    await page.getByRole('option', { name: 'many__tool-2000' }).waitFor()
    expect(view.complaints).toEqual([])
  })

  test('the theme is that of the system until a person chooses, and the choice stays', async () => {
    await using view = await openView(browser, hub, { theme: 'dark' })
    const { page } = view
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(await background()).toBe('rgb(17, 15, 13)')
    await page.getByRole('button', { name: 'Use the light theme' }).click()
    await expect.poll(background).toBe('rgb(250, 249, 246)')
    await page.reload()
    await page.getByRole('button', { name: 'Use the dark theme' }).waitFor()
    expect(await background()).toBe('rgb(250, 249, 246)')
  })

  test('a page whose hub is away says so, keeps what it knew, and goes on by itself when the hub is back', async () => {
    const home = await createTemporaryHome()
    onTestFinished(() => home.remove())
    const options = { webFolder: await buildPages(), configHome: home.path, stateHome: `${home.path}/state` }
    await prepareState(options.stateHome)
    const before = await startTestHub(options)
    await before.add(stdioConnector('memory', [serverProgram('memory')]))
    await using view = await openView(browser, before)
    const { page } = view
    const away = page.getByRole('alert').filter({ hasText: 'What you see is what it said last' })
    const isFetched = () =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /\/pages-/.test(name)))
    await page.getByText('Nothing needs you.').waitFor()
    await expect.poll(isFetched, { timeout: 10_000 }).toBe(true)
    await before.stop()
    await away.waitFor()
    // Pages that were never looked at show what is known too.
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('link', { name: 'memory', exact: true }).waitFor()
    await view.expectNoOverflow()
    await view.expectAccessible()
    await page.getByRole('link', { name: 'memory', exact: true }).click()
    // What cannot be done is said where it was tried, and what was typed stays.
    await page.getByLabel('Description').fill('Typed meanwhile')
    await page.keyboard.press('Control+s')
    const refusal = page.getByRole('alert').filter({ hasText: 'It was not saved.' })
    await refusal.waitFor()
    expect(await refusal.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight)).toBe(true)
    await using after = await startTestHub({ ...options, port: Number(new URL(before.url).port) })
    await away.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed meanwhile')
    await page.keyboard.press('Control+s')
    await page.getByText('All saved').waitFor()
    // Changes arrive as they happen again.
    await after.api('PATCH', '/api/connectors/memory', { description: 'Changed elsewhere' })
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Changed elsewhere')
  })
})
