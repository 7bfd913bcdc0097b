import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../start-test-hub.ts'
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
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('sett')
    await view.expectAccessible()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await view.expectAccessible()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
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
})
