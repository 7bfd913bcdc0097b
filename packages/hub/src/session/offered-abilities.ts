import { Ability, type Session } from '@herma/contract'

/** What is known besides the session itself. */
export interface AbilityFacts {
  /** Tools of its bound connectors, by their names at their servers. */
  readonly boundTools: readonly string[]
  /** Whether somebody else, such as a team, gives it a folder to work in. */
  readonly hasPlace?: boolean
}

const ofModels: readonly Ability[] = ['code.advice', 'plan.task', 'review.changes']
const ofModelsWithFiles: readonly Ability[] = ['code.generate', 'tests.generate']
const ofFiles: readonly Ability[] = ['search.code', 'tests.run']

/** What a session offers as an MCP server, in the order of the contract. */
export function offeredAbilities(session: Session, { boundTools, hasPlace = false }: AbilityFacts): Ability[] {
  const { provider, routes, abilities } = session
  const can = new Set<string>(routes.flatMap((rule) => (rule.use === 'model' ? [] : rule.abilities)))
  const hasFiles = hasPlace || hasWorkspace(session)
  const add = (...more: readonly Ability[]) => more.forEach((ability) => can.add(ability))
  if (provider !== 'mcp') add(...ofModels)
  if (provider !== 'mcp' && hasFiles) add(...ofModelsWithFiles)
  if (hasFiles) add(...ofFiles)
  if (provider === 'command' || findSearchTool(boundTools) !== undefined) add('search.web')
  return Ability.options.filter((ability) => can.has(ability) && (abilities === null || abilities.includes(ability)))
}

/** Whether a session has folders of its own. */
export function hasWorkspace({ workingDir, paths }: Pick<Session, 'workingDir' | 'paths'>): boolean {
  return workingDir !== null || paths.roots.length > 0
}

/** How servers call their search of the web; the first that is there is taken. `-` counts as `_`. */
const searchTools = [
  'web_search',
  'brave_web_search',
  'search_web',
  'websearch',
  'web_search_exa',
  'exa_web_search',
  'tavily_search',
  'google_search',
  'google_web_search',
  'duckduckgo_search',
  'bing_search',
  'searxng_web_search',
  'perplexity_search',
  'firecrawl_search',
  'kagi_search',
  'kagi_search_fetch',
  'internet_search',
  'search',
]

/** The tool that looks like a search of the web. */
export function findSearchTool(tools: readonly string[]): string | undefined {
  const plain = new Map(tools.map((tool) => [tool.toLowerCase().replaceAll('-', '_'), tool]))
  const found = searchTools.find((name) => plain.has(name))
  return found === undefined ? undefined : plain.get(found)
}
