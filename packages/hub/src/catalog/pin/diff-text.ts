import type { TextHunk } from '@herma/contract'

const maxHunks = 20
const maxHunkLength = 300
/** Words of both sides multiplied; a larger change is told as one hunk, so that no text takes long to compare. */
const maxCells = 40_000
/** Changes with no more unchanged pieces between them than this are one change to a reader. */
const joinedGap = 3

/** Where two texts differ, in words. Hunks beyond the twentieth are left out. */
export function diffText(before: string, after: string): TextHunk[] {
  const left = toPieces(before)
  const right = toPieces(after)
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let tail = 0
  const limit = Math.min(left.length, right.length) - start
  while (tail < limit && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++
  const ranges = findRanges(left.slice(start, left.length - tail), right.slice(start, right.length - tail))
  return ranges.slice(0, maxHunks).map(({ from, to, otherFrom, otherTo }) => ({
    line: 1 + countLines(left, start + from),
    before: shorten(left.slice(start + from, start + to).join('')),
    after: shorten(right.slice(start + otherFrom, start + otherTo).join('')),
  }))
}

interface Range {
  from: number
  to: number
  otherFrom: number
  otherTo: number
}

/** Words and the space between them, so that joining gives the text back. */
function toPieces(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? []
}

function findRanges(left: readonly string[], right: readonly string[]): Range[] {
  if (left.length === 0 && right.length === 0) return []
  if (left.length * right.length > maxCells) {
    return [{ from: 0, to: left.length, otherFrom: 0, otherTo: right.length }]
  }
  const lengths = commonLengths(left, right)
  const width = right.length + 1
  const ranges: Range[] = []
  for (let row = 0, column = 0; row < left.length || column < right.length;) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      row++
      column++
      continue
    }
    const last = ranges.at(-1)
    const range =
      last !== undefined && row - last.to <= joinedGap && column - last.otherTo <= joinedGap
        ? last
        : { from: row, to: row, otherFrom: column, otherTo: column }
    if (range !== last) ranges.push(range)
    const isRemoval =
      column >= right.length ||
      (row < left.length && lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!)
    if (isRemoval) row++
    else column++
    range.to = row
    range.otherTo = column
  }
  return ranges
}

/** Longest common subsequences of all pairs of ends, row by row. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint32Array {
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const at = row * width + column
      lengths[at] =
        left[row] === right[column] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!)
    }
  }
  return lengths
}

function countLines(pieces: readonly string[], end: number): number {
  let lines = 0
  for (let index = 0; index < end; index++) lines += pieces[index]!.split('\n').length - 1
  return lines
}

function shorten(text: string): string {
  return text.length > maxHunkLength ? `${text.slice(0, maxHunkLength)}…` : text
}
