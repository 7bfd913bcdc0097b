import { InvalidArgumentError } from 'commander'

const maxSeconds = 3600

/** Reads the value of `--grace`: seconds, as milliseconds. */
export function parseGrace(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= maxSeconds)) throw new InvalidArgumentError(`Give seconds from 0 to ${maxSeconds}.`)
  return Math.round(seconds * 1000)
}

/** For people: `1 call`, `3 calls`. */
export function countCalls(count: number): string {
  return count === 1 ? '1 running call' : `${count} running calls`
}
