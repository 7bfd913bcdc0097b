import type { Era } from '../target/target.ts'

/** What a program of the bench is for: the hello world, one tool called under load, or everything to be probed. */
export type Program = 'hello' | 'load' | 'feature'

/** How a server is reached. */
export type Way = `${'stdio' | 'http'}/${Era}`

/** One framework of the comparison. A new one is an entry in contenders.ts and a program in each folder. */
export interface Contender {
  name: string
  /** The package whose version and dependencies are shown. */
  main: string
  /** What an author puts into package.json, with the measured versions. */
  packages: Record<string, string>
  note: string
  /** Where its load is measured: what it answers at all. */
  ways: Way[]
  /** What it needs to be at its best. */
  env?: Record<string, string>
  /** Features that its feature program writes itself, after the framework's guides. */
  byHand: string[]
  /** Features that cannot be probed here, with the reason. */
  unknown: Record<string, string>
}

export const servesStdio = ({ ways }: Contender) => ways.some((way) => way.startsWith('stdio/'))

export const eraOf = (way: Way) => way.slice(way.indexOf('/') + 1) as Era
