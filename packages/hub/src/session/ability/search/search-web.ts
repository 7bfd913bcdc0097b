import type { WebSearch } from '@herma/contract'
import { findSearchTool } from '../../offered-abilities.ts'
import type { RoutedTool } from '../../work/choose-route.ts'
import { findSessionTool } from '../../work/tool/session-tools.ts'
import { compileToolPolicy } from '../../work/tool/tool-policy.ts'
import { answerSchema, type AbilityTool } from '../ability-tool.ts'
import { adoptResult, requireStructured } from '../adopt-result.ts'
import type { Job } from '../job.ts'
import { readSearchResults } from './read-search-results.ts'
import { searchArguments } from './search-arguments.ts'

const instructions =
  'Search the web with the tools that you have. Give only results that you found there, with their addresses, and an ' +
  'answer that rests on them. Never make up an address. Say so when you found nothing.'

export const searchWeb: AbilityTool<'search.web'> = {
  name: 'search.web',
  title: 'Search the web',
  description: 'Searches the web and gives results with title, address and a snippet; on request also an answer.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ query, depth = 1 }, job) {
    const isDeep = depth > 1 && job.session.provider !== 'mcp'
    const thorough = depth > 2 ? ' Look at it from several sides and read the pages that matter.' : ''
    const work = await job.work({
      text: query,
      prompt: query,
      instructions: instructions + thorough,
      needs: 'none',
      responseSchema: answerSchema('search.web'),
      otherwise: isDeep ? undefined : await findSearch(job),
    })
    const output =
      work.toolResult === null
        ? requireStructured('search.web', work)
        : (adoptResult('search.web', work) ?? readSearchResults(work.toolResult, work.text))
    return { text: renderSearch(output), output, work }
  },
}

/** The bound tool that looks like a search of the web. */
async function findSearch({ session, workContext, outside }: Job) {
  const rules = compileToolPolicy(session.tools)
  for (const { connector } of outside.bindingsOf(session.id)) {
    // A server that is gone cannot search; another one may, or the model.
    const descriptors = await outside.tools.boundTools({ sessionId: session.id, connector }).catch(() => [])
    const name = findSearchTool(descriptors.map((descriptor) => descriptor.name))
    if (name === undefined) continue
    const tool = await findSessionTool({ connector, tool: name }, { session, workContext, rules }, outside)
    if (tool === undefined) continue
    const use: RoutedTool = { connector, tool: name, arguments: searchArguments(tool.inputSchema) }
    return { use, because: `'${name}' of '${connector}' looks like a search of the web` }
  }
  return undefined
}

function renderSearch({ answer, results }: WebSearch): string {
  const lines = results.map(({ title, url, snippet }, index) => `${index + 1}. ${title}\n   ${url}\n   ${snippet}`)
  const parts = [answer ?? '', ...lines].filter((part) => part !== '')
  return parts.length === 0 ? 'Nothing was found.' : parts.join('\n')
}
