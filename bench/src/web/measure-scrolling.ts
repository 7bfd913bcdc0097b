/// <reference lib="dom" />
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { waitForCalm } from '../machine/wait-for-calm.ts'
import { quantile, signIn, type ServerRequest } from './visit.ts'

/** How evenly frames come. Times are in milliseconds. */
export interface Scrolling {
  readonly name: string
  /** Nobody scrolls: what the machine can do. */
  readonly isControl: boolean
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Share of frames that came late. */
  readonly late: number
  /** The most rows that were drawn at one time. */
  readonly rows: number
}

interface Wish {
  readonly count: number
  readonly seconds: number
}

const lateMs = 25
const calmMs = 30_000
const turnMs = 16
const movements = [
  { name: 'nobody scrolls', step: 0 },
  { name: 'the wheel turns at 3,000 px/s', step: 50 },
  { name: 'the wheel turns at 18,000 px/s', step: 300 },
]

/** Loads the whole list, then scrolls through it. */
export async function measureScrolling(visit: ServerRequest, { count, seconds }: Wish): Promise<Scrolling[]> {
  const context = await signIn(visit)
  const page = await context.newPage()
  await page.goto(`${visit.origin}/traces`)
  await page.getByRole('table', { name: 'Calls' }).waitFor()
  await page.mouse.move(600, 500)
  await loadAll(page, count)
  const found: Scrolling[] = []
  for (const { name, step } of movements) {
    await waitForCalm(calmMs)
    const frames = page.evaluate(watchFrames, seconds * 1000)
    const until = performance.now() + seconds * 1000
    for (let way = 1; performance.now() < until; await sleep(turnMs)) {
      const place = await page.evaluate(whereInList)
      if (place === 'top') way = 1
      if (place === 'end') way = -1
      if (step > 0) await page.mouse.wheel(0, way * step)
    }
    found.push(summarise(name, step === 0, await frames))
  }
  await context.close()
  return found
}

/** Rows are loaded as they are scrolled to. */
async function loadAll(page: Page, count: number): Promise<void> {
  const height = 40 * (count - 1)
  while ((await page.evaluate(() => document.querySelector('[role=rowgroup]:last-child')!.scrollHeight)) < height) {
    await page.mouse.wheel(0, 100_000)
    await sleep(50)
  }
}

function whereInList(): 'top' | 'end' | 'within' {
  const { scrollTop, scrollHeight, clientHeight } = document.querySelector('[role=rowgroup]:last-child')!
  if (scrollTop <= 0) return 'top'
  return scrollTop + clientHeight >= scrollHeight - 1 ? 'end' : 'within'
}

interface Frames {
  readonly deltas: readonly number[]
  readonly rows: number
}

/** Runs in the page. */
function watchFrames(forMs: number): Promise<Frames> {
  return new Promise((resolve) => {
    const deltas: number[] = []
    let rows = 0
    let last: number | undefined
    const begin = performance.now()
    const onFrame = (now: number) => {
      if (last !== undefined) deltas.push(now - last)
      last = now
      rows = Math.max(rows, document.querySelectorAll('[role=row]').length - 1)
      if (performance.now() - begin < forMs) requestAnimationFrame(onFrame)
      else resolve({ deltas, rows })
    }
    requestAnimationFrame(onFrame)
  })
}

function summarise(name: string, isControl: boolean, { deltas, rows }: Frames): Scrolling {
  const total = deltas.reduce((sum, each) => sum + each, 0)
  return {
    name,
    isControl,
    perSecond: (deltas.length / total) * 1000,
    p50: quantile(deltas, 0.5),
    p99: quantile(deltas, 0.99),
    worst: Math.max(...deltas),
    late: deltas.filter((each) => each >= lateMs).length / deltas.length,
    rows,
  }
}
