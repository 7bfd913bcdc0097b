import type { Case } from '../cases.ts'
import { OTHER_WORK_LIMIT } from '../machine/other-work.ts'
import type { Machine } from '../machine/describe-machine.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { Measurement } from '../run/run-group.ts'
import type { Omission } from '../run/stage.ts'
import type { Goal } from './judge-goals.ts'
import type { Row } from './summarise.ts'
import { caseTable, footprintTable, goalTable, markdownTable, textTable, type Table } from './tables.ts'

/** Everything that one run found out; this is what bench/results/latest.json holds. */
export interface Results {
  machine: Machine
  /** Share of the machine that others used during the run. */
  otherWork: number
  /** Whether targets had a core of their own. */
  isPinned: boolean
  rounds: number
  measureMs: number
  targets: { name: string; note: string }[]
  cases: Case[]
  rows: Row[]
  /** The turns that the rows summarise. */
  measurements: Measurement[]
  omissions: Omission[]
  footprint: Footprint | null
  goals: Goal[]
}

/** The tables for a terminal. */
export function renderText(results: Results): string {
  return `${render(results, (title) => `\n${title}`, textTable)}\n\n${describeOtherWork(results.otherWork)}`
}

/** The same as a Markdown page. */
export function renderMarkdown(results: Results): string {
  const { machine, rounds, measureMs } = results
  const intro = [
    '# Bench results',
    '',
    'Written by `npm run bench -- --write`. Absolute figures belong to this machine; the ratios travel better.',
    '',
    `- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, ${machine.date}`,
    `- medians of ${rounds} interleaved rounds of ${measureMs / 1000} s a turn; ratios are medians of each round's own ratio to \`bare\` on the same Node, with the lowest and the highest for calls/s`,
    '- load client, target and test servers share the cores',
    results.isPinned
      ? '- targets, with their database, run on the last core, the load client and the test servers on the others'
      : '- load client, target and test servers share the cores',
    `- ${describeOtherWork(results.otherWork)}`,
    '- every answer is checked; CPU per call is that of the target with its database, without the test servers',
    ...results.targets.map(({ name, note }) => `- **${name}**: ${note}`),
  ]
  return `${intro.join('\n')}\n${render(results, (title) => `\n## ${title}\n`, markdownTable)}\n`
}

function render(results: Results, title: (text: string) => string, table: (table: Table) => string): string {
  const parts: string[] = []
  for (const each of results.cases) {
    const rows = inTargetOrder(results, each)
    if (rows.length > 0) parts.push(title(describeCase(each)), table(caseTable(rows)))
  }
  if (results.footprint) parts.push(title('At rest'), table(footprintTable(results.footprint)))
  parts.push(title('What must be reached'), table(goalTable(results.goals)))
  const omitted = describeOmissions(results.omissions)
  if (omitted.length > 0) parts.push(title('Left out'), table([['target', 'case', 'reason'], ...omitted]))
  return parts.join('\n')
}

function describeOtherWork(share: number): string {
  const percent = `${Math.round(share * 100)} %`
  if (share <= OTHER_WORK_LIMIT) return `other work took ${percent} of the machine`
  return `OTHER WORK TOOK ${percent} OF THE MACHINE: these figures are noise; run again when it is quiet`
}

function inTargetOrder({ rows, targets }: Results, each: Case): Row[] {
  return targets.flatMap(({ name }) => rows.filter((row) => row.case === each.name && row.target === name))
}

function describeCase({ name, setup, era, operation, payloadBytes, concurrency }: Case): string {
  const operations = { echo: 'small answers', payload: `${payloadBytes / 1000} kB answers`, list: 'tools/list' }
  const eras = setup.era === null ? '' : `, ${setup.era} servers`
  const behind = `${setup.connectors} ${setup.transport} ${setup.connectors === 1 ? 'connector' : 'connectors'}${eras}`
  const tools = (setup.connectors * setup.toolsEach).toLocaleString('en-US')
  const more = `${setup.streams ? ', answered by event streams' : ''}${setup.idle > 0 ? `, beside ${setup.idle} idle connections` : ''}`
  return `${name}: ${operations[operation]}, ${behind}, ${tools} tools, ${era} client, ${concurrency} at once${more}`
}

/** One line for each target and reason, since most reasons concern several cases. */
function describeOmissions(omissions: Omission[]): Table {
  const grouped = new Map<string, Omission[]>()
  for (const each of omissions) {
    const key = `${each.target} ${each.reason}`
    grouped.set(key, [...(grouped.get(key) ?? []), each])
  }
  return [...grouped.values()].map((group) => {
    const names = [...new Set(group.map((each) => each.case))]
    const shown = names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(', ')
    const { target = '', reason = '', isFailure = false } = group[0] ?? {}
    return [target, shown, `${isFailure ? 'FAILED: ' : ''}${reason.split('\n')[0]}`]
  })
}
