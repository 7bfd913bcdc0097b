import type { ServedTool, ServerHealth } from '@herma/contract'
import { serverInsightOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'

/** What pages show of served servers besides what is set about them. */
export interface ServerInsight {
  health(): ServerHealth[]
  /** What a client would list. */
  tools(name: string): Promise<ServedTool[]>
}

export function serverInsightApi(insight: ServerInsight): Route[] {
  return serve(serverInsightOperations, {
    listServerHealth: () => ({ servers: insight.health() }),
    listServerTools: async ({ params: { name } }) => ({ tools: await insight.tools(name) }),
  })
}
