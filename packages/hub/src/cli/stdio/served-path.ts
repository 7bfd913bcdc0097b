import { CliError, exitCodes } from '../exit-codes.ts'

/** The servers that the hub serves, with the path of each. */
const paths: ReadonlyMap<string, string> = new Map([['facade', '/mcp']])

export const defaultServer = 'facade'

/** Where the hub serves the server of this name. */
export function servedPath(name: string): string {
  const path = paths.get(name)
  if (path !== undefined) return path
  const known = [...paths.keys()].join(', ')
  throw new CliError(exitCodes.notFound, `There is no server '${name}'. There are: ${known}.`, {
    code: 'SERVER_NOT_FOUND',
  })
}
