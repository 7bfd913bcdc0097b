import type { LogLine } from '@herma/contract'

/**
 * The lines of a window that were not in the one before. Lines have no numbers and the hub forgets the oldest, so the
 * longest end of the old window with which the new one begins is what has been seen.
 */
export function newLines(before: readonly LogLine[], after: readonly LogLine[]): readonly LogLine[] {
  for (let dropped = 0; dropped <= before.length; dropped++) {
    const overlap = before.length - dropped
    if (overlap <= after.length && isSameRun(before, dropped, after)) return after.slice(overlap)
  }
  return after
}

function isSameRun(before: readonly LogLine[], from: number, after: readonly LogLine[]): boolean {
  for (let index = from; index < before.length; index++) {
    const [old, fresh] = [before[index], after[index - from]]
    if (old?.at !== fresh?.at || old?.text !== fresh?.text || old?.stream !== fresh?.stream) return false
  }
  return true
}
