import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { OperatorLink } from '@herma/contract'
import { chromium, type Browser, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestHub } from '../start-test-hub.ts'

export const chromiumPath = process.env['HERMA_CHROMIUM'] ?? '/usr/bin/chromium'

/** Without a browser these tests are skipped; `npm test` says so loudly at its end. */
export const hasChromium = existsSync(chromiumPath)

export interface View extends AsyncDisposable {
  readonly page: Page
  /** What the console, scripts and the content security policy complained about. */
  readonly complaints: string[]
  goto(path: string): Promise<void>
  /** The page does not scroll sideways. */
  expectNoOverflow(): Promise<void>
  /** Axe finds nothing: WCAG 2.2 AA and best practice. */
  expectAccessible(): Promise<void>
  /** All of it: accessible, no overflow, no complaints. With HERMA_SHOTS=folder it leaves a picture there. */
  expectSound(name: string): Promise<void>
}

export interface ViewOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  /** False for a browser that the hub does not know. */
  readonly isSignedIn?: boolean
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: quietFlags })
}

/** A browser window of its own, signed in as the operator. */
export async function openView(browser: Browser, hub: TestHub, options: ViewOptions = {}): Promise<View> {
  const { width = 1280, height = 844, theme = 'light', isSignedIn = true } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints = collectComplaints(page)
  if (isSignedIn) {
    const { body } = await hub.api('POST', '/api/access/link')
    await page.goto((body as OperatorLink).url)
    // The page of the link goes on to the start page by itself.
    await page.waitForURL(`${hub.url}/`)
  }
  const expectNoOverflow = async () => {
    // A window that was just resized is drawn anew first.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), {
        message: `${page.url()} is wider than its window by`,
        timeout: 3000,
      })
      .toBeLessThanOrEqual(0)
  }
  const expectAccessible = async () => expect(await findBarriers(page)).toEqual([])
  return {
    page,
    complaints,
    goto: async (path) => void (await page.goto(hub.url + path)),
    expectNoOverflow,
    expectAccessible,
    async expectSound(name) {
      await shoot(page, `${name}-${width}-${theme}`)
      await expectNoOverflow()
      await expectAccessible()
      expect(complaints).toEqual([])
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** What axe finds, one line each. */
async function findBarriers(page: Page): Promise<string[]> {
  // Evaluated by the debugger's protocol, which the content security policy does not concern.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeSource())
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
  })
}

interface Axe {
  run(
    root: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>
}

let axe: Promise<string> | undefined
function axeSource(): Promise<string> {
  return (axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['HERMA_SHOTS']
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

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

/** Errors of scripts, of the console and of the content security policy. */
function collectComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  return complaints
}
