import type { Arguments, ToolContext, ToolResult } from '../../core/own-tool.ts'
import type { ModeCatalog, ModeTool } from '../mode-catalog.ts'
import { toSearchDocument } from '../search/search-document.ts'
import { SearchIndex } from '../search/search-index.ts'
import { tokenCost } from '../../core/token-cost.ts'

export interface TestTool {
  readonly name: string
  readonly server?: string
  readonly tags?: readonly string[]
  readonly description?: string
  readonly inputSchema?: Record<string, unknown>
  readonly outputSchema?: Record<string, unknown>
}

/** A catalog of these tools, with a real search over them. */
export function createModeCatalog(tools: readonly TestTool[]): ModeCatalog {
  const byName = new Map(tools.map((tool) => [tool.name, toModeTool(tool)]))
  const index = new SearchIndex()
  index.setSegment(
    'all',
    [...byName.values()].map((tool) => toSearchDocument(tool.name, tool.descriptor(), tool.server, tool.tags)),
  )
  return {
    list: () => byName.values(),
    find: (name) => byName.get(name),
    search: (query, limit) => index.search(query, { limit }).map(({ key }) => byName.get(key)!),
  }
}

function toModeTool({ server = 'files', tags = [], ...descriptor }: TestTool): ModeTool {
  return {
    name: descriptor.name,
    server,
    tags,
    tokens: tokenCost({ ...descriptor }),
    descriptor: () => ({ ...descriptor }),
  }
}

/** A context whose tools are these functions; what was called is written down. */
export class TestToolContext implements ToolContext {
  readonly called: { name: string; args: Arguments }[] = []
  readonly messages: string[] = []
  readonly signal: AbortSignal
  readonly caller = {
    principal: 'operator',
    server: 'facade',
    era: 'modern',
    revision: '2026-07-28',
    clientInfo: {},
    capabilities: {},
    connectionId: null,
    logLevel: null,
  } as const
  readonly #run: (name: string, args: Arguments) => Promise<ToolResult> | ToolResult

  constructor(
    run: (name: string, args: Arguments) => Promise<ToolResult> | ToolResult = () => textResult('done'),
    signal: AbortSignal = new AbortController().signal,
  ) {
    this.#run = run
    this.signal = signal
  }

  workContext(): never {
    throw new Error('Modes do no errands.')
  }

  call(): Promise<ToolResult> {
    return Promise.reject(new Error('Modes call tools by the name that clients see.'))
  }

  readResource(): Promise<Record<string, unknown>> {
    return Promise.reject(new Error('Modes read no resources.'))
  }

  async callExposed(name: string, args: Arguments): Promise<ToolResult> {
    this.called.push({ name, args })
    return await this.#run(name, args)
  }

  progress(_done: number, _total: number | undefined, message: string): void {
    this.messages.push(message)
  }
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}
