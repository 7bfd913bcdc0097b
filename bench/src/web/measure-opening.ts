/// <reference lib="dom" />
import type { BrowserContext } from 'playwright-core'
import { waitForCalm } from '../machine/wait-for-calm.ts'
import { quantile, signIn, type ServerRequest } from './visit.ts'

/** How long one page takes until it can be used. */
export interface Opening {
  readonly path: Path
  readonly cache: 'cold' | 'warm'
  /** Medians. */
  readonly usableMs: number
  readonly paintMs: number
  /** Processor time of the page's thread, which other work on the machine does not change much. */
  readonly threadMs: number
  readonly bestMs: number
  readonly worstMs: number
  /** Over the wire. */
  readonly bytes: number
  readonly requests: number
}

export const pageNames = { '/': 'Hub', '/servers': 'Servers', '/traces': 'Traces' } as const
type Path = keyof typeof pageNames

/** What a page has once it shows what it is for. */
const signs: Readonly<Record<Path, string>> = {
  '/': 'main ul a, main table a',
  '/servers': 'main a[data-row]',
  '/traces': '[role=table] [role=row] a',
}
const warmUps = 3
const calmMs = 3000

/** Opens each page in new profiles, and again and again in one that knows it. */
export async function measureOpening(visit: ServerRequest, rounds: number): Promise<Opening[]> {
  const openings: Opening[] = []
  for (const path of Object.keys(pageNames) as Path[]) {
    const cold: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      const context = await signIn(visit)
      cold.push(await open(context, visit.origin, path))
      await context.close()
    }
    const context = await signIn(visit)
    for (let round = 0; round < warmUps; round++) await open(context, visit.origin, path)
    const warm: Sample[] = []
    for (let round = 0; round < rounds; round++) warm.push(await open(context, visit.origin, path))
    await context.close()
    openings.push(summarise(path, 'cold', cold), summarise(path, 'warm', warm))
  }
  return openings
}

interface Sample {
  readonly usableMs: number
  readonly paintMs: number
  readonly threadMs: number
  readonly bytes: number
  readonly requests: number
}

async function open(context: BrowserContext, origin: string, path: Path): Promise<Sample> {
  await waitForCalm(calmMs)
  const page = await context.newPage()
  const probe = await context.newCDPSession(page)
  await probe.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.addInitScript(watchUntilUsable, signs[path])
  // The browser's own start of a process for a new tab is none of ours.
  await page.goto(`${origin}/healthz`)
  await page.goto(origin + path)
  await page.waitForFunction(() => 'usableMs' in globalThis)
  const { metrics } = await probe.send('Performance.getMetrics')
  const threadMs = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  const sample = await page.evaluate(() => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN
    const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const opened = performance.getEntriesByType('navigation') as PerformanceResourceTiming[]
    const bytes = [...opened, ...loaded].reduce((sum, { transferSize }) => sum + transferSize, 0)
    const { usableMs } = globalThis as unknown as { usableMs: number }
    return { usableMs, paintMs: paint, bytes, requests: opened.length + loaded.length }
  })
  await page.close()
  return { ...sample, threadMs }
}

/** Runs in the page, before anything of it: looks at every frame whether the page is there. */
function watchUntilUsable(sign: string): void {
  const look = () => {
    const isThere = document.querySelector(sign) !== null && !document.body.textContent.includes('Asking for')
    if (!isThere) return void requestAnimationFrame(look)
    // A click would be answered now, not behind work that is still to be done.
    setTimeout(() => Object.assign(globalThis, { usableMs: performance.now() }))
  }
  requestAnimationFrame(look)
}

function summarise(path: Path, cache: Opening['cache'], samples: readonly Sample[]): Opening {
  const median = (pick: (sample: Sample) => number) => quantile(samples.map(pick), 0.5)
  return {
    path,
    cache,
    usableMs: median(({ usableMs }) => usableMs),
    paintMs: median(({ paintMs }) => paintMs),
    threadMs: median(({ threadMs }) => threadMs),
    bestMs: Math.min(...samples.map(({ usableMs }) => usableMs)),
    worstMs: Math.max(...samples.map(({ usableMs }) => usableMs)),
    bytes: median(({ bytes }) => bytes),
    requests: median(({ requests }) => requests),
  }
}
