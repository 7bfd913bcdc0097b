import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { servePage, type PageServer } from '../test/page-server.ts'
import { emptyHub, troubledHub } from '../test/page-data.ts'

const executablePath = process.env['HERMA_CHROMIUM'] ?? '/usr/bin/chromium'

// Without a browser these tests are skipped; `npm test` says so loudly at its end.
describe.skipIf(!existsSync(executablePath))('the Hub page in a browser', () => {
  let folder: string
  let server: PageServer
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'herma-page-'))
    const outDir = join(folder, 'dist')
    await build({
      root: new URL('..', import.meta.url).pathname,
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    })
    server = await servePage(outDir)
    browser = await chromium.launch({ executablePath, args: quietFlags })
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.each([1280, 640, 390, 320])(
    'at %i px it shows each connector with its problem and does not overflow',
    async (width) => {
      server.answer = troubledHub
      await using view = await openPage(width)

      await view.page
        .getByRole('row', { name: /warehouse/ })
        .getByText('401: the token expired')
        .waitFor()
      expect(await view.page.getByRole('row').count()).toBe(1 + troubledHub.connectors.length)
      expect(await countLines(view.page.getByRole('rowheader', { name: 'warehouse' }))).toBe(1)
      await view.expectSound('troubled')
    },
  )

  test.each([1280, 390])('at %i px an empty hub shows the first command to type', async (width) => {
    server.answer = emptyHub
    await using view = await openPage(width)

    await view.page.getByText('npx herma add hello -- node examples/hello-server/server.mjs').waitFor()
    await view.expectSound('empty')
  })

  test.each([1280, 390])('at %i px a browser that the hub does not know is told how to sign in', async (width) => {
    server.answer = troubledHub
    server.isSignedIn = false
    await using view = await openPage(width)

    await view.page.getByText('npx herma open').waitFor()
    expect(await view.page.getByRole('link', { name: 'Sign in with your name' }).getAttribute('href')).toBe('/login')
    expect(await view.page.getByRole('table').count()).toBe(0)
    server.isSignedIn = true
    await view.page.getByRole('table').waitFor()
  })

  test('in the dark scheme it is dark', async () => {
    server.answer = troubledHub
    await using view = await openPage(1280, 'dark')

    await view.page.getByRole('table').waitFor()
    expect(await view.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(17, 15, 13)')
    await view.expectSound('dark')
  })

  test('a copy button puts the command for a client on the clipboard', async () => {
    server.answer = emptyHub
    await using view = await openPage(1280)
    await view.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

    await view.page.getByRole('button', { name: 'Copy the configuration of Claude Code' }).click()
    await view.page.getByText('Copied').waitFor()
    const copied = await view.page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(`claude mcp add --transport http herma ${emptyHub.status.endpoint}`)
  })

  test('when the hub goes away the page says so, keeps what it knew, and recovers by itself', async () => {
    server.answer = troubledHub
    await using view = await openPage(390)
    await view.page.getByRole('table').waitFor()

    server.answer = null
    await view.page.getByText('The hub does not answer.').waitFor()
    expect(await view.page.getByRole('row', { name: /warehouse/ }).count()).toBe(1)
    await view.expectNoOverflow()
    await view.shoot('away')

    server.answer = troubledHub
    await view.page.getByText('The hub does not answer.').waitFor({ state: 'detached' })
  })

  async function openPage(width: number, colorScheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
    const page = await context.newPage()
    const complaints = collectComplaints(page)
    await page.goto(server.url)
    const expectNoOverflow = async () => {
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const)
      expect(content).toBeLessThanOrEqual(window)
    }
    const shoot = async (name: string) => {
      const shots = process.env['HERMA_SHOTS']
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
    const expectSound = async (name: string) => {
      await shoot(name)
      await expectNoOverflow()
      expect(complaints).toEqual([])
    }
    return { page, shoot, expectNoOverflow, expectSound, [Symbol.asyncDispose]: () => context.close() }
  }
})

// Without these Chromium looks for hosts on the network at every start.
const quietFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Lines that the first piece of text in an element takes. */
function countLines(element: Locator): Promise<number> {
  return element
    .locator('span')
    .first()
    .evaluate((span) => span.getClientRects().length)
}

/** Errors of scripts, of the console and of the content security policy. */
function collectComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return complaints
}
