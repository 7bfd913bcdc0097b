// Makes the pictures of docs/screens: npm run screens [-- FOLDER [NAME…]]
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { buildPages } from '../e2e/web/build-pages.ts'
import { openBrowser, openView } from '../e2e/web/open-browser.ts'
import { startTestHub, type TestHub } from '../e2e/start-test-hub.ts'
import { pictures, type Picture } from './pictures.ts'
import { stageHub } from './stage-hub.ts'

const [folder = fileURLToPath(new URL('../../docs/screens', import.meta.url)), ...names] = process.argv.slice(2)
const target = resolve(folder)
const firstRun: Picture = {
  name: 'first-run',
  path: '/',
  prepare: (page) => page.getByRole('heading', { name: 'Add your servers' }).waitFor(),
}

await mkdir(target, { recursive: true })
const webFolder = await buildPages()
const browser = await openBrowser()
try {
  {
    await using empty = await startTestHub({ webFolder })
    await take(browser, empty, [firstRun])
  }
  await using place = await stageHub(webFolder)
  await take(browser, place.hub, pictures)
} finally {
  await browser.close()
}

async function take(from: Browser, hub: TestHub, wanted: readonly Picture[]): Promise<void> {
  for (const { name, path, prepare } of wanted) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const width of [1280, 390]) {
      for (const theme of ['light', 'dark'] as const) {
        await using view = await openView(from, hub, { width, theme, height: width === 390 ? 844 : 900 })
        await view.goto(path)
        try {
          await prepare(view.page)
        } catch (error) {
          process.exitCode = 1
          process.stdout.write(
            `FAILED ${name} at ${width} px: ${error instanceof Error ? error.message : String(error)}\n`,
          )
        }
        // Fonts and the last answers.
        await view.page.waitForTimeout(400)
        const file = `${name}-${width}-${theme}.png`
        await view.page.screenshot({ path: join(target, file) })
        process.stdout.write(`${file}\n`)
      }
    }
  }
}
