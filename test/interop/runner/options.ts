import { parseArgs } from 'node:util'

export interface Options {
  readonly help: boolean
  readonly source: boolean
  /** Names of the clients to run; empty = all. */
  readonly clients: readonly string[]
}

export const clientNames = ['inspector', 'mcpdo', 'mcp-remote', 'mcporter', 'ai-sdk', 'python-sdk', 'fastmcp'] as const
export type ClientName = (typeof clientNames)[number]

export const usage = `Usage: npm run interop -- [options]

Connects MCP clients of other people to a Herma hub with real servers behind it, and checks exactly what they show.

  --client NAME   only this one of: ${clientNames.join(', ')}; repeatable
  --source        run the hub from its source instead of its build
  --help          this text

Exit code: 0 every client works, 1 one does not, 2 could not run everything.
`

/** Reads the command line; throws an error that says what is wrong with it. */
export function parseOptions(args: string[]): Options {
  const { help, source, client } = readArguments(args)
  const unknown = client.find((name) => !clientNames.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`--client ${unknown}: use one of ${clientNames.join(', ')}.`)
  return { help, source, clients: client }
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        client: { type: 'string', multiple: true, default: [] },
      },
    })
    return values
  } catch (cause) {
    throw new Error('These options are not understood. See: npm run interop -- --help', { cause })
  }
}
