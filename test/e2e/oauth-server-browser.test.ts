import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthClient } from '../../packages/hub/src/access/authority/testing/oauth-client.ts'
import {
  startAuthority,
  testPassword,
  type TestAuthority,
} from '../../packages/hub/src/access/authority/testing/start-authority.ts'

const executablePath = process.env['HERMA_CHROMIUM'] ?? '/usr/bin/chromium'

// Without a browser these tests are skipped; `npm test` says so loudly at its end.
describe.skipIf(!existsSync(executablePath))('signing in with a real browser', () => {
  let hub: TestAuthority
  let browser: Browser
  const app = createServer((_request, response) => void response.end('back in the app'))

  beforeAll(async () => {
    hub = await startAuthority()
    await hub.addUser('ada')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await browser?.close()
    await new Promise((resolve) => app.close(resolve))
    await hub[Symbol.asyncDispose]()
  })

  /** The page does what its policy allows, fits, and says what each field is for. */
  async function expectSound(page: Page, name: string): Promise<void> {
    const shots = process.env['HERMA_SHOTS']
    const width = page.viewportSize()?.width ?? 0
    if (shots) await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true })
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    const unnamed = `[...document.querySelectorAll('input:not([type=hidden])')].filter((field) => field.labels.length === 0).length`
    expect(await page.evaluate(unnamed)).toBe(0)
    expect(await page.evaluate("getComputedStyle(document.querySelector('main')).borderRadius")).toBe('10px')
  }

  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('leads from the app to the app at %i px (%s)', async (width, colorScheme) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    const port = (app.address() as AddressInfo).port
    const client = new OAuthClient(hub.url)
    await client.register({ client_name: 'Notes for desktop' })
    await page.goto(client.authorizeUrl({ redirect_uri: `http://127.0.0.1:${port}/callback` }))
    await expectSound(page, 'login')
    await page.getByLabel('Name or e-mail').fill('ada')
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Allow Notes for desktop?' }).waitFor()
    await expectSound(page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('back in the app').waitFor()
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^\w{32}$/)

    // What was allowed once goes straight through, also behind the form of a new sign-in.
    await context.clearCookies()
    await page.goto(client.authorizeUrl({ redirect_uri: `http://127.0.0.1:${port}/callback` }))
    await page.getByLabel('Name or e-mail').fill('ada')
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('back in the app').waitFor()

    await page.goto(`${hub.url}/auth/account`)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await expectSound(page, 'account')
    await page.goto(`${hub.url}/set-password?name=ada`)
    await expectSound(page, 'set-password')
    expect(complaints).toEqual([])
    await context.close()
  })
})
