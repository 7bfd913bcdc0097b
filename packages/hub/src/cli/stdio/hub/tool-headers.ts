import { findParamHeaders, isObject, type ParamHeader } from '../../../wire/index.ts'
import { requestMcp } from '../../mcp/mcp-client.ts'

const pageLimit = 1000
const maxTools = 10_000

/**
 * Which parameters of which tools are mirrored into headers. Few tools have any, so the bridge asks the hub for its list
 * only when the hub misses a header.
 */
export class ToolHeaders {
  readonly #known = new Map<string, readonly ParamHeader[]>()

  of(tool: string): readonly ParamHeader[] {
    return this.#known.get(tool) ?? []
  }

  /** Looks a tool up in the hub's list, on as many pages as it takes. */
  async learn(endpoint: URL, tool: string, signal: AbortSignal): Promise<void> {
    if (this.#known.size >= maxTools) this.#known.clear()
    this.#known.delete(tool)
    let cursor: unknown
    for (let page = 0; page < pageLimit; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const result = await requestMcp(endpoint, { method: 'tools/list', params, signal })
      const tools = Array.isArray(result['tools']) ? result['tools'].filter(isObject) : []
      const found = tools.find(({ name }) => name === tool)
      if (found !== undefined) return void this.#known.set(tool, findParamHeaders(found['inputSchema']))
      cursor = result['nextCursor']
      if (typeof cursor !== 'string') return
    }
  }
}
