import { pathOfServer } from '../../wire/index.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import type { HubClient } from '../hub/hub-client.ts'

export const defaultServer = 'facade'

/**
 * Where the hub serves the server of this name. A hub that runs is asked whether there is one; without a hub it shows
 * once one has been started.
 */
export async function servedPath(name: string, hub: Pick<HubClient, 'api'> | null): Promise<string> {
  if (name === defaultServer) return '/mcp'
  const servers = hub === null ? null : (await hub.api.listServers()).servers
  const pattern = /^(session:)?[a-z0-9][a-z0-9-]{0,39}$/
  const isKnown = servers === null ? pattern.test(name) : servers.some((each) => each.name === name)
  if (isKnown) return pathOfServer(name, 'stream')
  const known = servers === null ? '' : ` There are: ${servers.map((each) => each.name).join(', ')}.`
  throw new CliError(exitCodes.notFound, `There is no server '${name}'.${known}`, { code: 'SERVER_NOT_FOUND' })
}
