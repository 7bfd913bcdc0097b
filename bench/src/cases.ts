import type { Operation } from './client/check-answer.ts'
import type { Era } from './target/target.ts'

/** What stands behind the targets in a case. */
export interface Setup {
  name: string
  transport: 'http' | 'stdio'
  connectors: number
  toolsEach: number
  /** Whether targets that cannot join servers get one server with all the tools. */
  hasWhole: boolean
  /** The only era that the servers speak; null = both. */
  era: Era | null
  /** Whether calls over HTTP are answered by an event stream. */
  streams: boolean
  /** Legacy connections that are open meanwhile and do nothing. */
  idle: number
}

export interface Case {
  name: string
  setup: Setup
  era: Era
  operation: Operation
  /** Of the answers to `payload`. */
  payloadBytes: number
  concurrency: number
  /** Cases of one group run in the same rounds, so that they can be compared with each other too. */
  group: string
}

/** Servers of both eras over HTTP, unless `more` or the name says something else. */
export function setup(name: string, connectors: number, toolsEach: number, more: Partial<Setup> = {}): Setup {
  return {
    name,
    transport: name === 'stdio' ? 'stdio' : 'http',
    connectors,
    toolsEach,
    hasWhole: name.endsWith('tools'),
    era: null,
    streams: false,
    idle: 0,
    ...more,
  }
}

const http = setup('http', 1, 10)
const toLegacy = setup('http-to-legacy', 1, 10, { era: 'legacy' })
const toModern = setup('http-to-modern', 1, 10, { era: 'modern' })
const streams = setup('http-streams', 1, 10, { streams: true })
const stdio = setup('stdio', 1, 10)
const crowded = setup('10000-idle', 1, 10, { idle: 10_000 })
const fifty = setup('50-connectors', 50, 10)
const tenTools = setup('10-tools', 10, 1)
const thousandTools = setup('1000-tools', 10, 100)
const tenThousandTools = setup('10000-tools', 10, 1000)

type Size = '10kB' | '100kB' | '1MB'
const sizes: Record<Size, number> = { '10kB': 10_000, '100kB': 100_000, '1MB': 1_000_000 }

const concurrencies = [1, 16, 64, 256]
const eras = ['legacy', 'modern'] as const

/** All cases; a name reads setup, era, operation, concurrency. */
export const cases: Case[] = [
  ...eras.flatMap((era) => concurrencies.map((concurrency) => makeCase(http, era, 'echo', concurrency))),
  makeCase(http, 'legacy', '10kB', 16),
  ...[1, 16, 64].map((concurrency) => makeCase(http, 'legacy', '100kB', concurrency)),
  makeCase(http, 'modern', '100kB', 16),
  makeCase(http, 'legacy', '1MB', 16),
  // The four pairs of eras, of client and server.
  ...[toLegacy, toModern].flatMap((each) =>
    eras.flatMap((era) => [makeCase(each, era, 'echo', 16, 'pairs'), makeCase(each, era, '100kB', 16, 'pairs')]),
  ),
  ...eras.map((era) => makeCase(streams, era, 'echo', 16)),
  makeCase(streams, 'legacy', '100kB', 16),
  ...[1, 16, 64].map((concurrency) => makeCase(stdio, 'legacy', 'echo', concurrency)),
  makeCase(stdio, 'modern', 'echo', 16),
  makeCase(stdio, 'legacy', '100kB', 16),
  makeCase(fifty, 'legacy', 'echo', 64),
  makeCase(fifty, 'modern', 'echo', 64),
  makeCase(crowded, 'legacy', 'echo', 16),
  makeCase(tenTools, 'legacy', 'echo', 64, 'tools'),
  makeCase(thousandTools, 'legacy', 'echo', 64, 'tools'),
  makeCase(tenThousandTools, 'legacy', 'echo', 64, 'tools'),
  makeCase(thousandTools, 'legacy', 'list', 16, 'tools'),
]

/** What `--quick` runs: enough for the goals that concern calls. */
export const quickCases = ['http/legacy/echo/c1', 'http/legacy/echo/c64']

function makeCase(from: Setup, era: Era, what: 'echo' | 'list' | Size, concurrency: number, group = from.name): Case {
  const isSized = what !== 'echo' && what !== 'list'
  return {
    name: `${from.name}/${era}/${what}/c${concurrency}`,
    setup: from,
    era,
    operation: isSized ? 'payload' : what,
    payloadBytes: isSized ? sizes[what] : 0,
    concurrency,
    group,
  }
}
