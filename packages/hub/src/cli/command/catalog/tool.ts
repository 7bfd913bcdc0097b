import type { CatalogTool, CostReport, FieldView, ScanFinding, ToolDetail, ToolMatch } from '@herma/contract'
import { Command } from 'commander'

import { makeVisible } from '../../../catalog/pin/index.ts'
import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { nearest } from '../../flag/nearest.ts'
import type { Terminal } from '../../terminal/terminal.ts'

interface Flags {
  server?: string
  all?: boolean
}

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the tools with their server, their cost in tokens and their state')
    .option('--server <name>', 'only those of one connector; herma has those that Herma runs itself')
    .option('--all', 'also those that clients do not see')
    .action(async (flags: Flags) => {
      const { api } = await connectHub(cli)
      const answer = await api.listCatalogTools({ server: flags.server, ...(flags.all && { all: true }) })
      cli.terminal.answer(answer, () => describeTools(cli, answer.tools, flags))
    })
}

function describeTools({ terminal }: Cli, tools: readonly CatalogTool[], { server, all }: Flags): string {
  if (tools.length === 0) {
    const where = server === undefined ? 'Clients see no tools.' : `Clients see no tools of '${server}'.`
    return all
      ? 'There are no tools. See how the connectors are doing: herma list'
      : `${where} See: herma catalog list --all`
  }
  const rows = tools.map((tool) => [
    tool.name ?? '-',
    tool.connector,
    tool.originalName,
    String(tool.tokens),
    tool.pin === 'pending' ? `${describeState(tool)}, pending` : describeState(tool),
  ])
  const table = formatTable([['NAME', 'SERVER', 'TOOL', 'TOKENS', 'STATE'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const listed = tools.filter(({ name }) => name !== null)
  const tokens = listed.reduce((sum, tool) => sum + tool.tokens, 0)
  const hidden = all ? `, ${tools.length - listed.length} hidden` : ''
  return [
    terminal.style('bold', head),
    ...lines,
    '',
    `${count(listed.length, 'tool')} with ${count(tokens, 'token')}${hidden}.`,
  ].join('\n')
}

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one tool: each field as its server has it, as it was overridden, as clients see it')
    .usage('SERVER TOOL [options]\n       herma catalog show NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const detail = await hub.api.getTool(await findToolPlace(hub, server, tool))
      cli.terminal.answer(detail, () => describeTool(detail, cli.terminal))
    })
}

export function searchCommand(cli: Cli): Command {
  return new Command('search')
    .description('find the tools that fit a few words, the best first, as clients in search mode do')
    .argument('<words...>', 'what the tool shall do')
    .option('--limit <number>', 'at most so many', wholeNumber('--limit', 100), 10)
    .action(async (words: string[], { limit }: { limit: number }) => {
      const { api } = await connectHub(cli)
      const answer = await api.searchTools({ query: words.join(' '), limit })
      cli.terminal.answer(answer, () => describeMatches(cli, answer.tools))
    })
}

function describeMatches({ terminal }: Cli, tools: readonly ToolMatch[]): string {
  if (tools.length === 0) return 'Nothing fits these words. All tools: herma catalog list'
  const rows = tools.map(({ name, server, tokens, description }) => [name, server, String(tokens), description])
  return formatTable([['NAME', 'SERVER', 'TOKENS', 'DESCRIPTION'], ...rows], terminal.columns)
}

export function costCommand(cli: Cli): Command {
  return new Command('cost')
    .description('show what the definitions of the tools cost a model, in tokens (about)')
    .action(async () => {
      const { api } = await connectHub(cli)
      const report = await api.getCost()
      cli.terminal.answer(report, () => describeCost(cli, report))
    })
}

function describeCost({ terminal }: Cli, { tokens, tools, servers, costliest, modes }: CostReport): string {
  const tables = [
    [['SERVER', 'TOOLS', 'TOKENS'], ...servers.map((each) => [each.server, String(each.tools), String(each.tokens)])],
    [
      ['COSTLIEST TOOLS', 'SERVER', 'TOKENS'],
      ...costliest.map((each) => [each.name, each.server, String(each.tokens)]),
    ],
    [['MODE', 'TOKENS AT THE START'], ...modes.map((each) => [each.mode, String(each.tokens)])],
  ]
  const shown = tables.filter((rows) => rows.length > 1).map((rows) => formatTable(rows, terminal.columns))
  return [`${count(tools, 'tool')}, ${count(tokens, 'token')}.`, ...shown].join('\n\n')
}

/** Everything about one tool; of each field what its server says, what was put in its place, and what clients see. */
export function describeTool(tool: ToolDetail, terminal: Terminal): string {
  const { schema, findings } = tool
  const facts: [string, string][] = [
    ['Name', tool.name ?? '(clients do not see it)'],
    ['Server', tool.connector],
    ['Tool', oneLine(tool.originalName)],
    ['State', oneLine(describeState(tool))],
    ['Tags', tool.tags.join(', ')],
    ['Tokens', String(tool.tokens)],
    ['Schema', schema.state],
    ...tool.adaptations.map(({ kind, clients, changes }): [string, string] => [
      'Adapted',
      [
        `${reasons[kind]}: ${clients.length === 0 ? 'all clients' : clients.join(' ')}`,
        ...changes.map(describeChange),
      ].join('\n'),
    ]),
  ]
  // Tags stand above; a field of their own is only worth it when somebody chose them.
  const fields = tool.fields.filter(({ field, origin }) => field !== 'tags' || origin !== null)
  const table = formatTable(fields.flatMap(describeField), terminal.columns)
  return [
    formatFields(facts.filter(([, value]) => value !== '')),
    ...(table === '' ? [] : ['', table]),
    ...(findings.length === 0 ? [] : ['', describeFindings(findings, terminal)]),
  ].join('\n')
}

const reasons = {
  legal: 'no revision of MCP allows it as the server wrote it',
  output: 'the server was seen to answer something else',
  plain: 'made with a library that refuses the list otherwise',
  strict: 'take simple schemas only',
} as const

const describeChange = ({ path, what }: { path: string; what: string }) => oneLine(`${path}: ${what}`)

const stateWords = {
  kept: 'kept',
  conflicting: 'conflicting: the server has changed it since (to keep the override: herma catalog accept)',
  obsolete: 'obsolete: the server says the same now',
} as const

function describeField({ field, original, override, exposed, origin, state, base }: FieldView): string[][] {
  const rows: [string, unknown][] = [['original', original]]
  if (origin !== null) rows.push([`override in ${origin}`, override])
  if (toText(exposed) !== toText(original)) rows.push(['exposed', exposed])
  if (state !== null) rows.push(['state', stateWords[state]])
  if (state === 'conflicting') rows.push(['original then', base])
  const shown = rows.filter(([what, value]) => value !== null || (what === 'original' && rows.length > 1))
  return shown.map(([what, value], index) => [index === 0 ? field : '', what, toText(value)])
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return makeVisible(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Whether clients see a tool, and if not why. */
function describeState({ name, hiddenBecause }: Pick<CatalogTool, 'name' | 'hiddenBecause'>): string {
  // A reason such as "hidden in catalog/core.json" says it already.
  if (hiddenBecause !== null) return hiddenBecause.startsWith('hidden') ? hiddenBecause : `hidden: ${hiddenBecause}`
  return name === null ? 'hidden: another tool has its name' : 'listed'
}

const colours = { danger: 'red', warning: 'yellow', info: 'dim' } as const

/** Two lines for each: what was found where, and the text around it, in which nothing is invisible. */
export function describeFindings(findings: readonly ScanFinding[], terminal: Terminal): string {
  return findings
    .map(({ severity, rule, path, message, excerpt }) => {
      const found = terminal.style(colours[severity], `${severity}: ${oneLine(message)}`)
      return `${found} (${rule}, ${oneLine(path)})\n    ${oneLine(excerpt)}`
    })
    .join('\n')
}

/** A tool by the name of its connector and its own name. */
export interface ToolPlace {
  readonly server: string
  readonly tool: string
}

/** Which tool is meant: by server and own name, or by the one name that clients see. */
export async function findToolPlace(hub: HubClient, first: string, second: string | undefined): Promise<ToolPlace> {
  if (second !== undefined) return { server: first, tool: second }
  const { tools } = await hub.api.listCatalogTools()
  const found = tools.find(({ name }) => name === first)
  if (found !== undefined) return { server: found.connector, tool: found.originalName }
  const near = nearest(
    first,
    tools.flatMap(({ name }) => name ?? []),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new CliError(
    exitCodes.notFound,
    `Clients see no tool '${first}'.${hint} Others are named by their server: SERVER TOOL, as herma catalog list --all shows them.`,
    { code: 'TOOL_NOT_FOUND' },
  )
}
