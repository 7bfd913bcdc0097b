// What the catalog costs with 10,000 tools in 200 connectors: the goals of the catalog issue. It runs in one process of
// its own, on the classes that the hub uses, with pins in memory instead of a database.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Catalog } from '../../packages/hub/src/catalog/core/catalog.ts'
import type { CatalogSource } from '../../packages/hub/src/catalog/core/catalog-source.ts'
import { Pins } from '../../packages/hub/src/catalog/pin/pins.ts'
import type { PinStore } from '../../packages/hub/src/catalog/pin/store.ts'
import { noJudges } from '../../packages/hub/src/catalog/core/shape-source.ts'
import { ToolSearch } from '../../packages/hub/src/catalog/scope/tool-search.ts'
import { DescriptorPack } from '../../packages/hub/src/downstream/descriptor/descriptor-pack.ts'
import { Events } from '../../packages/hub/src/platform/events.ts'
import { createLog } from '../../packages/hub/src/platform/log.ts'
import { makeTools } from '../../test/fixtures/catalog/make-tools.mjs'
import { renderGoalRows, type GoalRow } from './report/render-goal-rows.ts'

const connectorCount = 200
const toolsEach = 50
const changes = 60
const queries = 3000

type Tool = Record<string, unknown> & { description: string }

const tools = makeTools(connectorCount * toolsEach, 1) as Tool[]

/** A connector whose tools say that they are of this round. */
function makeSource(position: number, round: number): CatalogSource {
  const own = tools.slice(position * toolsEach, (position + 1) * toolsEach)
  const described = own.map((tool) => ({ ...tool, description: `${tool.description} (${round})` }))
  const descriptors = new DescriptorPack({ tools: described, resources: [], resourceTemplates: [], prompts: [] })
  const name = `server${position}`
  return { id: name, name, prefix: name, position, pinPolicy: 'warn', descriptors }
}

const noStore = {
  loadAll: async () => [],
  loadDescriptors: async () => new Map(),
  apply: async () => {},
  prune: async () => {},
} as unknown as PinStore

async function usedBytes(): Promise<number> {
  // What is on its way to the store is not part of the catalog.
  await new Promise((resolve) => setTimeout(resolve, 3000))
  globalThis.gc!()
  globalThis.gc!()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
}

function cpuMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const pins = new Pins({ store: noStore, events: new Events(), log: createLog('silent') })
const catalog = new Catalog(() => {}, {
  ...noJudges,
  check: ({ id, name, pinPolicy }, offered) => pins.check({ id, name, policy: pinPolicy }, offered).map(() => null),
})
const atFirst = await usedBytes()
catalog.set(...Array.from({ length: connectorCount }, (_, position) => makeSource(position, 0)))
const jsonBytes = Buffer.byteLength(JSON.stringify(tools))
const memory = (await usedBytes()) - atFirst

const rebuilds: number[] = []
for (let round = 1; round <= changes; round++) {
  const source = makeSource((round * 37) % connectorCount, round)
  rebuilds.push(cpuMs(() => catalog.set(source)))
  await new Promise((resolve) => setImmediate(resolve))
}

const lists: number[] = []
for (let index = 0; index < 10_000; index++) {
  const startedAt = performance.now()
  catalog.page('tools', undefined)
  lists.push(performance.now() - startedAt)
}

const search = new ToolSearch(catalog)
const words = tools.map(({ name }) => String(name).split('_')).flat()
search.search('create issue', 10, () => true)
const withSearch = (await usedBytes()) - atFirst
const searches: number[] = []
for (let index = 0; index < queries; index++) {
  const query = [0, 1, 2].map((each) => words[(index * 7919 + each * 104_729) % words.length]).join(' ')
  const startedAt = performance.now()
  search.search(query, 10, () => true)
  searches.push(performance.now() - startedAt)
}

const round = (value: number, digits = 2) => value.toFixed(digits)
const rows: GoalRow[] = [
  [
    'rebuild after one connector changed, CPU, median',
    '≤ 50 ms',
    `${round(percentile(rebuilds, 0.5), 1)} ms`,
    percentile(rebuilds, 0.5) <= 50,
  ],
  ['the same, 90th percentile', '', `${round(percentile(rebuilds, 0.9), 1)} ms`, true],
  [
    'a page of tools/list, 99th percentile',
    'from prebuilt bytes',
    `${round(percentile(lists, 0.99) * 1000, 1)} µs`,
    true,
  ],
  ['search, 99th percentile', '≤ 5 ms', `${round(percentile(searches, 0.99))} ms`, percentile(searches, 0.99) <= 5],
  ['memory to the JSON of the descriptors', '≤ 2 ×', `${round(memory / jsonBytes)} ×`, memory / jsonBytes <= 2],
  ['the same with the index of the search mode', '', `${round(withSearch / jsonBytes)} ×`, true],
]
const table = renderGoalRows(rows)
process.stdout.write(`${table}\n`)
if (process.argv.includes('--write')) {
  const head = `# The catalog with 10,000 tools\n\nWritten by \`npm run bench -- catalog --write\`. ${connectorCount} connectors with ${toolsEach} tools each, ${round(jsonBytes / 1e6, 1)} MB of JSON; Node ${process.version}. CPU counts the whole process, garbage collection too.\n\n`
  writeFileSync(fileURLToPath(new URL('../CATALOG.md', import.meta.url)), `${head}${table}\n`)
}
process.exit()
