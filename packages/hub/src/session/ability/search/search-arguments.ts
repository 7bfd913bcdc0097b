import type { JsonSchema } from '../../turn/types.ts'

/** How tools of search call what is searched for. */
const usualNames = ['query', 'q', 'search_query', 'searchQuery', 'search_term', 'keywords', 'text', 'input']

/** The arguments of a rule for a tool of search, where nobody wrote one. */
export function searchArguments({ properties, required }: JsonSchema): Record<string, string> {
  const known = Object.keys(properties ?? {})
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const name = usualNames.find((usual) => known.includes(usual)) ?? needed[0] ?? known[0] ?? 'query'
  return { [name]: '{query}' }
}
