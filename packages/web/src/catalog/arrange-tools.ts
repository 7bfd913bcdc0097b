import type { CatalogTool } from '@herma/contract'

export const toolFilters = ['hidden', 'overridden', 'waiting', 'findings'] as const
export type ToolFilter = (typeof toolFilters)[number]

/** A server and those of its tools that are shown. */
export interface ToolGroup {
  readonly server: string
  readonly tools: readonly CatalogTool[]
  readonly total: number
  readonly hidden: number
  /** What clients pay for the tools that they see. */
  readonly tokens: number
}

/** A line of the list. */
export type ToolLine =
  | { readonly kind: 'group'; readonly key: string; readonly group: ToolGroup }
  | { readonly kind: 'tool'; readonly key: string; readonly tool: CatalogTool }

export interface Arrangement {
  readonly text: string
  readonly filter: ToolFilter | undefined
  /** Keys of the tools in which the scan found something. */
  readonly risky: ReadonlySet<string>
  readonly collapsed: ReadonlySet<string>
}

/** A tool in addresses and selections; names of servers have no slash. */
export function toolKey({ connector, originalName }: Pick<CatalogTool, 'connector' | 'originalName'>): string {
  return `${connector}/${originalName}`
}

/** Of a text every word has to be there: in the names, the description, the tags. */
export function filterTools(tools: readonly CatalogTool[], { text, filter, risky }: Arrangement): CatalogTool[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const passes: Record<ToolFilter, (tool: CatalogTool) => boolean> = {
    hidden: ({ hiddenBecause }) => hiddenBecause !== null,
    overridden: ({ overridden }) => overridden.some((field) => field !== 'enabled'),
    waiting: ({ pin }) => pin === 'pending' || pin === 'blocked',
    findings: (tool) => risky.has(toolKey(tool)),
  }
  return tools.filter((tool) => {
    if (filter !== undefined && !passes[filter](tool)) return false
    if (words.length === 0) return true
    const { name, connector, originalName, description, tags } = tool
    const said = [name, connector, originalName, description, ...tags].join(' ').toLowerCase()
    return words.every((word) => said.includes(word))
  })
}

/** Servers first; a text is looked for everywhere, so its hits stand in one list. */
export function arrangeTools(
  all: readonly CatalogTool[],
  shown: readonly CatalogTool[],
  { text, collapsed }: Arrangement,
): ToolLine[] {
  const toLine = (tool: CatalogTool): ToolLine => ({ kind: 'tool', key: toolKey(tool), tool })
  if (text.trim() !== '') return shown.map(toLine)
  return groupTools(all, shown).flatMap((group) => [
    { kind: 'group', key: group.server, group },
    ...(collapsed.has(group.server) ? [] : group.tools.map(toLine)),
  ])
}

function groupTools(all: readonly CatalogTool[], shown: readonly CatalogTool[]): ToolGroup[] {
  const byServer = groupByServer(all)
  return [...groupByServer(shown)].map(([server, tools]) => {
    const own = byServer.get(server) ?? []
    const seen = own.filter(({ hiddenBecause }) => hiddenBecause === null)
    const tokens = seen.reduce((sum, tool) => sum + tool.tokens, 0)
    return { server, tools, total: own.length, hidden: own.length - seen.length, tokens }
  })
}

export function groupByServer<Each extends { readonly connector: string }>(list: readonly Each[]): Map<string, Each[]> {
  const groups = new Map<string, Each[]>()
  for (const each of list) {
    const group = groups.get(each.connector)
    if (group === undefined) groups.set(each.connector, [each])
    else group.push(each)
  }
  return groups
}

/** The keys from one line to another, whichever comes first. */
export function keysBetween(lines: readonly ToolLine[], from: string, to: string): string[] {
  const [a, b] = [from, to].map((key) => lines.findIndex((line) => line.kind === 'tool' && line.key === key))
  if (a === undefined || b === undefined || a < 0 || b < 0) return [to]
  const between = lines.slice(Math.min(a, b), Math.max(a, b) + 1)
  return between.flatMap((line) => (line.kind === 'tool' ? [line.key] : []))
}
