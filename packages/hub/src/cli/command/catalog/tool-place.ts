import type { CatalogTool } from '@herma/contract'

import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { nearest } from '../../nearest.ts'

/** A tool by the name of its connector and its own name. */
export interface ToolPlace {
  readonly server: string
  readonly tool: string
}

/** Which tool is meant: by server and own name, or by the one name that clients see. */
export async function findToolPlace(hub: HubClient, first: string, second: string | undefined): Promise<ToolPlace> {
  if (second !== undefined) return { server: first, tool: second }
  const { tools } = await hub.send<{ tools: CatalogTool[] }>('GET', '/api/catalog/tools')
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

/** The path of what the hub knows of a tool: its `tools`, `overrides` or `pins`. */
export function toolPath(kind: 'tools' | 'overrides' | 'pins', { server, tool }: ToolPlace, rest = ''): string {
  return `/api/catalog/${kind}/${encodeURIComponent(server)}/${encodeURIComponent(tool)}${rest}`
}
