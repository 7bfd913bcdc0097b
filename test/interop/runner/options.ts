import { parseArgs } from 'node:util'

export interface Options {
  readonly help: boolean
  readonly source: boolean
  /** A part of it that takes a minute or two, downloads included. */
  readonly quick: boolean
  /** Write the tables into docs/interop.md. */
  readonly write: boolean
  /** Names of the clients and agents to run. */
  readonly clients: readonly string[]
}

export const clientNames = [
  'inspector',
  'mcpdo',
  'mcp-remote',
  'mcporter',
  'ai-sdk',
  'python-sdk-1',
  'python-sdk-2',
  'fastmcp-3',
  'fastmcp-4',
  'go-sdk',
  'mcp-go',
  'codex-app-server',
] as const
export type ClientName = (typeof clientNames)[number]

/** Programs for people, which add the hub and say how it is doing. */
export const agentNames = ['claude-code', 'codex', 'gemini-cli', 'opencode'] as const
export type AgentName = (typeof agentNames)[number]

const allNames: readonly string[] = [...agentNames, ...clientNames]
/** Two languages that write numbers as they are, an agent, and what they need is small. */
const quickNames: readonly string[] = ['codex', 'codex-app-server', 'python-sdk-2'] satisfies (AgentName | ClientName)[]
const names = allNames.join(', ')

export const usage = `Usage: npm run interop -- [options]

Connects MCP clients of other people to a Herma hub with servers of other people behind it, and checks exactly what they
show. What they need is installed once, into ~/.cache/herma-interop (HERMA_INTEROP_CACHE chooses another folder).

  --client NAME   only this one of: ${names}; repeatable
  --quick         only ${quickNames.join(', ')}, with the servers of the TypeScript and Python SDKs 2
  --source        run the hub from its source instead of its build
  --write         write what came out into docs/interop.md
  --help          this text

Exit code: 0 everything works, 1 something does not, 2 not everything could be had.
`

/** Reads the command line; throws an error that says what is wrong with it. */
export function parseOptions(args: string[]): Options {
  const { help, source, quick, write, client } = readArguments(args)
  const unknown = client.find((name) => !allNames.includes(name))
  if (unknown !== undefined) throw new Error(`--client ${unknown}: use one of ${names}.`)
  if (write && (quick || client.length > 0))
    throw new Error('--write needs everything: leave out --client and --quick.')
  if (quick && client.length > 0) throw new Error('--quick has clients of its own: leave out --client.')
  const chosen = client.length > 0 ? client : allNames
  return { help, source, quick, write, clients: quick ? quickNames : chosen }
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        client: { type: 'string', multiple: true, default: [] },
      },
    })
    return values
  } catch (cause) {
    throw new Error('These options are not understood. See: npm run interop -- --help', { cause })
  }
}
