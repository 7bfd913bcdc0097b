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
}

export interface Case {
  name: string
  setup: Setup
  era: Era
  operation: Operation
  concurrency: number
  /** Cases of one group run in the same rounds, so that they can be compared with each other too. */
  group: string
}

export const PAYLOAD_BYTES = 100_000

const setup = (name: string, transport: 'http' | 'stdio', connectors: number, toolsEach: number): Setup => ({
  name,
  transport,
  connectors,
  toolsEach,
  hasWhole: name.endsWith('tools'),
})

const http = setup('http', 'http', 1, 10)
const stdio = setup('stdio', 'stdio', 1, 10)
const fifty = setup('50-connectors', 'http', 50, 10)
const tenTools = setup('10-tools', 'http', 10, 1)
const thousandTools = setup('1000-tools', 'http', 10, 100)

const concurrencies = [1, 16, 64]

/** All cases; a name reads setup, era, operation, concurrency. */
export const cases: Case[] = [
  ...concurrencies.map((concurrency) => makeCase(http, 'legacy', 'echo', concurrency)),
  ...concurrencies.map((concurrency) => makeCase(http, 'modern', 'echo', concurrency)),
  ...concurrencies.map((concurrency) => makeCase(http, 'legacy', 'payload', concurrency)),
  makeCase(http, 'modern', 'payload', 16),
  ...concurrencies.map((concurrency) => makeCase(stdio, 'legacy', 'echo', concurrency)),
  makeCase(stdio, 'modern', 'echo', 16),
  makeCase(stdio, 'legacy', 'payload', 16),
  makeCase(fifty, 'legacy', 'echo', 16),
  makeCase(fifty, 'legacy', 'echo', 64),
  makeCase(fifty, 'modern', 'echo', 64),
  makeCase(tenTools, 'legacy', 'echo', 64, 'tools'),
  makeCase(thousandTools, 'legacy', 'echo', 64, 'tools'),
  makeCase(thousandTools, 'legacy', 'list', 16, 'tools'),
]

/** What `--quick` runs: enough for the goals that concern calls. */
export const quickCases = ['http/legacy/echo/c1', 'http/legacy/echo/c64']

function makeCase(from: Setup, era: Era, operation: Operation, concurrency: number, group = from.name): Case {
  return { name: `${from.name}/${era}/${operation}/c${concurrency}`, setup: from, era, operation, concurrency, group }
}
