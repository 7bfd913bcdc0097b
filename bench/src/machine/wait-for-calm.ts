import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const lookMs = 150
const calmShare = 0.2

/** Waits until the machine does little else, but not longer than `limitMs`: a busy one is measured all the same. */
export async function waitForCalm(limitMs: number): Promise<void> {
  for (const until = Date.now() + limitMs; Date.now() < until;) {
    const before = readBusy()
    await sleep(lookMs)
    const after = readBusy()
    if ((after.busy - before.busy) / Math.max(1, after.total - before.total) < calmShare) return
  }
}

function readBusy(): { busy: number; total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const total = ticks.reduce((sum, each) => sum + each, 0)
  return { total, busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0) }
}
