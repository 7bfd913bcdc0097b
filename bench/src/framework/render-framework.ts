import { OTHER_WORK_LIMIT } from '../machine/other-work.ts'
import { goalTable, markdownTable, textTable, type Table } from '../report/tables.ts'
import { findBetterElsewhere } from './better-elsewhere.ts'
import { judgeFramework } from './framework-goals.ts'
import type { FrameworkResults } from './framework-results.ts'
import { contenderTable, costTable, featureTable, loadTable } from './framework-tables.ts'

const COMMAND = '`npm run bench -- framework --write`'

/** The tables for a terminal. */
export function renderFrameworkText(results: FrameworkResults): string {
  const part = (title: string, table: Table) => `\n${title}\n${textTable(table)}`
  return [
    part('CPU of a call', loadTable(results)),
    part('What it costs', costTable(results)),
    part('Features', featureTable(results)),
    part('What must be reached', goalTable(judgeFramework(results))),
    ...results.omissions.map(({ contender, what, reason }) => `NOT MEASURED: ${contender}, ${what}: ${reason}`),
    `\n${describeOtherWork(results.otherWork)}`,
  ].join('\n')
}

/** bench/FRAMEWORK.md: everything that was measured, and on what. */
export function renderFrameworkPage(results: FrameworkResults): string {
  const { machine, rounds, starts, measureMs } = results
  const details = results.findings.filter(({ detail }) => detail !== undefined)
  return `${[
    '# The framework beside others',
    '',
    `Written by ${COMMAND}. Absolute figures belong to this machine; the ratios travel better.`,
    '',
    `- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, ${machine.date}`,
    `- calls: medians of ${rounds} interleaved rounds of ${measureMs / 1000} s a turn, a fresh process for each; 8 at once; ratios are medians of each round's own ratio to \`sdk\``,
    `- cold start: median of ${starts} interleaved starts of the hello world`,
    `- ${describeOtherWork(results.otherWork)}`,
    '',
    markdownTable(contenderTable(results)),
    '',
    '## What must be reached',
    '',
    markdownTable(goalTable(judgeFramework(results))),
    '',
    '## CPU of a call',
    '',
    markdownTable(loadTable(results)),
    '',
    '## What it costs',
    '',
    markdownTable(costTable(results)),
    '',
    '## Features',
    '',
    markdownTable(featureTable(results)),
    ...(results.omissions.length === 0 ? [] : ['', '## Not measured', '', markdownTable(omissionTable(results))]),
    ...(details.length === 0 ? [] : ['', '## What the probes saw', '', markdownTable(detailTable(details))]),
  ].join('\n')}\n`
}

/** docs/comparison.md: the same on one page for readers, without a date or a machine. */
export function renderComparison(results: FrameworkResults): string {
  const better = findBetterElsewhere(results)
  return `${[
    '# The framework beside others',
    '',
    `\`@herma/framework\` beside the official SDK and four other frameworks for TypeScript. Every figure and every yes or no on this page was measured by a script in one run, none is from a manual: ${COMMAND} repeats it and writes this page. [bench/FRAMEWORK.md](../bench/FRAMEWORK.md) has the machine, the date and what the probes saw.`,
    '',
    // Figures of a busy machine are shown only with that said beside them.
    ...(results.otherWork <= OTHER_WORK_LIMIT ? [] : [`**${describeOtherWork(results.otherWork)}.**`, '']),
    markdownTable(contenderTable(results)),
    '',
    '## Cost of a call',
    '',
    'CPU time of the server process for one `tools/call` of `add(a, b)` with a zod schema, 8 calls at once, every sum checked. Modern is protocol revision 2026-07-28, legacy is 2025-11-25 or the newest before it that the server speaks. A dash: it does not speak that there.',
    '',
    markdownTable(loadTable(results)),
    '',
    '## Cost of everything else',
    '',
    'The hello world is a tool, a resource template and a prompt (`bench/src/framework/hello/`); the script runs it and calls all three. Lines are those with code, all formatted alike. Cold start is the time from the start of its process to the first answered `tools/list` over stdio. The installation is what stdio and HTTP need together, with zod.',
    '',
    markdownTable(costTable(results)),
    '',
    '## Features',
    '',
    'Each cell is a probe against a running server; what an option of the framework turns on is a yes. By hand: the framework leaves it to the author, and its guide says how; the probed server did that.',
    '',
    markdownTable(featureTable(results)),
    '',
    '## Where others are better',
    '',
    ...(better.length === 0 ? ['In nothing that this page measures.'] : better.map((line) => `- ${line}`)),
    '',
    'And in what it does not measure: the SDK is the reference, and this framework is new. In their packages, mcp-use and xmcp bring tooling for MCP Apps in React, fastmcp brings providers for sign-in at GitHub, Google and Azure, and tmcp depends on no SDK at all.',
  ].join('\n')}\n`
}

const omissionTable = ({ omissions }: FrameworkResults): Table => [
  ['contender', 'what', 'reason'],
  ...omissions.map(({ contender, what, reason }) => [contender, what, oneLine(reason)]),
]

const detailTable = (details: FrameworkResults['findings']): Table => [
  ['contender', 'feature', 'seen'],
  ...details.map(({ contender, feature, detail }) => [contender, feature, oneLine(detail ?? '')]),
]

/** A cell of a table holds neither lines nor bars, and no address of this run. */
function oneLine(text: string): string {
  const shown = text
    .split('\n')[0]
    ?.replaceAll('|', '/')
    .replaceAll('`', "'")
    .replaceAll(/127\.0\.0\.1:\d+/g, 'loopback')
  return `\`${(shown ?? '').slice(0, 160)}\``
}

function describeOtherWork(share: number): string {
  const percent = `${Math.round(share * 100)} %`
  if (share <= OTHER_WORK_LIMIT) return `other work took ${percent} of the machine`
  return `OTHER WORK TOOK ${percent} OF THE MACHINE: absolute figures are noise; run again when it is quiet`
}
