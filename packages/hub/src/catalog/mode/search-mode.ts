import type { Caller } from '../../wire/index.ts'
import { isObject } from '../../wire/index.ts'
import { errorResult, type Arguments, type OwnTool, type ToolResult } from '../core/own-tool.ts'
import { explainUnknown, nearestNames, summaryOf, type ModeCatalog, type ModeTool } from './mode-catalog.ts'

const origin = 'search mode'
const defaultLimit = 10
const maxLimit = 50
const maxNames = 20

/**
 * The three tools that stand for a large catalog: find, read, call. A model pays for the definitions that it asks for
 * and for no others. `scope` says what a caller may see, on every call anew.
 */
export function searchModeTools(scope: (caller: Caller) => ModeCatalog): OwnTool[] {
  return [searchTools(scope), describeTools(scope), callTool(scope)]
}

function searchTools(scope: (caller: Caller) => ModeCatalog): OwnTool {
  return {
    name: 'search_tools',
    origin,
    tags: [],
    descriptor: {
      name: 'search_tools',
      title: 'Search tools',
      description:
        'Finds tools by what they do. This server has more tools than are listed: search first, then read the ' +
        'parameters with describe_tools and run a tool with call_tool. Answers with the best matches, best first: ' +
        'name, server, a one-line description, and the tokens that describing it will cost. With no query it lists ' +
        'tools in order.',
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'A few words about the task, such as "create github issue".',
          },
          limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
          server: { type: 'string', description: 'Only tools of this server.' },
          tag: { type: 'string', description: 'Only tools with this tag.' },
        },
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async (args, context) => {
      const problem = searchProblem(args)
      if (problem !== undefined) return errorResult(problem)
      return jsonResult(findTools(args, scope(context.caller)))
    },
  }
}

function describeTools(scope: (caller: Caller) => ModeCatalog): OwnTool {
  return {
    name: 'describe_tools',
    origin,
    tags: [],
    descriptor: {
      name: 'describe_tools',
      title: 'Describe tools',
      description:
        'Answers with the full definitions of tools: description, parameters as JSON Schema, annotations. Read one ' +
        'before you call it for the first time.',
      inputSchema: {
        type: 'object',
        properties: {
          names: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: maxNames,
            description: 'Names as search_tools gives them.',
          },
        },
        required: ['names'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async (args, context) => {
      const names = decodeJson(args['names'])
      const wanted: unknown[] = Array.isArray(names) ? names : [names]
      if (wanted.length === 0 || wanted.length > maxNames || !wanted.every((name) => typeof name === 'string')) {
        return errorResult(`'names' takes 1 to ${maxNames} names of tools, such as ["files__read"].`)
      }
      return describeResult(wanted, scope(context.caller))
    },
  }
}

function callTool(scope: (caller: Caller) => ModeCatalog): OwnTool {
  return {
    name: 'call_tool',
    origin,
    tags: [],
    descriptor: {
      name: 'call_tool',
      title: 'Call a tool',
      description:
        'Runs a tool that search_tools found, and answers with its result. What it may change depends on that tool: ' +
        'its annotations in describe_tools say so.',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'A name as search_tools gives it.' },
          arguments: {
            type: 'object',
            description: "Arguments that fit the tool's inputSchema.",
            additionalProperties: true,
          },
        },
        required: ['name'],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    run: async (args, context) => {
      const name = args['name']
      if (typeof name !== 'string') return errorResult("'name' takes the name of a tool, as search_tools gives it.")
      const catalog = scope(context.caller)
      if (catalog.find(name) === undefined) return errorResult(explainUnknown(name, catalog))
      // Models often write an object as a string of JSON.
      const given = decodeJson(args['arguments'] ?? {})
      if (!isObject(given)) {
        return errorResult(`'arguments' takes an object. Read the parameters first: describe_tools ["${name}"].`)
      }
      return await context.callExposed(name, given)
    },
  }
}

function searchProblem({ query, limit, server, tag }: Arguments): string | undefined {
  if (query !== undefined && typeof query !== 'string') return "'query' takes words as one string."
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxLimit)) {
    return `'limit' takes a whole number from 1 to ${maxLimit}.`
  }
  if (server !== undefined && typeof server !== 'string') return "'server' takes the name of one server."
  if (tag !== undefined && typeof tag !== 'string') return "'tag' takes one tag."
  return undefined
}

function findTools(args: Arguments, catalog: ModeCatalog): Record<string, unknown> {
  const query = ((args['query'] as string | undefined) ?? '').trim()
  const limit = (args['limit'] as number | undefined) ?? defaultLimit
  const total = { tools: 0, tokens: 0 }
  const servers = new Set<string>()
  const passing: ModeTool[] = []
  for (const tool of catalog.list()) {
    total.tools++
    total.tokens += tool.tokens
    servers.add(tool.server)
    if (query === '' && passing.length < limit && passes(tool, args)) passing.push(tool)
  }
  // A filter is applied to all that is found, so that the best of a small server are not lost among the rest.
  const isFiltered = args['server'] !== undefined || args['tag'] !== undefined
  const found = query === '' ? passing : catalog.search(query, isFiltered ? total.tools : limit)
  const tools = found.filter((tool) => passes(tool, args)).slice(0, limit)
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      server: tool.server,
      description: summaryOf(tool),
      tokens: tool.tokens,
    })),
    describeAllTokens: tools.reduce((sum, tool) => sum + tool.tokens, 0),
    catalog: { tools: total.tools, servers: servers.size, tokens: total.tokens },
    ...(tools.length === 0 ? { hint: explainEmpty(args, servers) } : {}),
  }
}

function passes(tool: ModeTool, { server, tag }: Arguments): boolean {
  return (server === undefined || tool.server === server) && (tag === undefined || tool.tags.includes(tag as string))
}

function explainEmpty({ server }: Arguments, servers: ReadonlySet<string>): string {
  if (typeof server === 'string' && !servers.has(server)) {
    return `There is no server '${server.slice(0, 100)}'. There are: ${[...servers].slice(0, 50).join(', ')}.`
  }
  return 'Nothing matches. Try other or fewer words, or leave out server and tag.'
}

function describeResult(names: readonly string[], catalog: ModeCatalog): ToolResult {
  const tools: Readonly<Record<string, unknown>>[] = []
  const unknown: { name: string; nearest: string[] }[] = []
  let tokens = 0
  for (const name of new Set(names)) {
    const tool = catalog.find(name)
    if (tool === undefined) {
      unknown.push({ name: name.slice(0, 100), nearest: nearestNames(name, catalog) })
      continue
    }
    tools.push({ ...tool.descriptor(), name: tool.name })
    tokens += tool.tokens
  }
  const result = jsonResult({ tools, tokens, ...(unknown.length > 0 ? { unknown } : {}) })
  return tools.length === 0 ? { ...result, isError: true } : result
}

function jsonResult(value: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

function decodeJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    // Not JSON: the string itself is what was given, and the caller checks it.
    return value
  }
}
