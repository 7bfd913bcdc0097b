import type { Collision, ToolSummary } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../flag/json-option.ts'
import { formatTable } from '../terminal/format-table.ts'
import { showProgress } from '../terminal/show-progress.ts'

interface Answer {
  tools: ToolSummary[]
  collisions?: Collision[]
}

export function toolsCommand(cli: Cli): Command {
  return new Command('tools')
    .description('list the tools that clients see, of all connectors or of one')
    .argument('[name]', 'name of a connector')
    .action(async (name: string | undefined) => {
      const { api } = await connectHub(cli)
      const work: Promise<Answer> = name === undefined ? api.listTools() : api.listConnectorTools({ name })
      const answer = await showProgress(cli.terminal, 'Listing tools', work)
      cli.terminal.answer(answer, () => describeTools(cli, answer))
    })
}

function describeTools({ terminal }: Cli, { tools, collisions = [] }: Answer): string {
  if (tools.length === 0) return 'No tools. See how the connectors are doing: herma list'
  const table = formatTable(
    tools.map(({ name, title, description }) => [name, description.trim().split('\n', 1)[0] || (title ?? '')]),
    terminal.columns,
  )
  const notes = collisions.map(({ kind, wanted, winner, loser, exposedAs }) => {
    const given = exposedAs === null ? 'is not reachable' : `is called ${exposedAs}`
    return [`The ${kind} ${wanted} is offered by ${winner}; that of ${loser} ${given}.`]
  })
  return notes.length === 0 ? table : `${table}\n\n${formatTable(notes)}`
}

interface Flags {
  json?: JsonOption
  arguments?: string
  timeout?: number
}

const inputLimitBytes = 16_777_216

export function callCommand(cli: Cli): Command {
  return new Command('call')
    .description('call a tool through the MCP endpoint, as any client would')
    .argument('<tool>', 'name of the tool, as herma tools shows it')
    .addOption(jsonInput('ARGUMENTS'))
    .option('--arguments <json>', 'the same as --json ARGUMENTS')
    .option('--timeout <seconds>', 'give up and cancel the call after this time', parseSeconds)
    .addHelpText(
      'after',
      `
Examples:
  herma call files__read_file --json '{"path": "notes.txt"}'
  echo '{"path": "notes.txt"}' | herma call files__read_file --json -
  herma call files__list_roots --json     (prints the whole result as JSON)`,
    )
    .action(async (tool: string, flags: Flags) => {
      const args = await readArguments(cli, flags)
      const hub = await connectHub(cli)
      // Loaded here, because no other command speaks MCP.
      const { callToolAsClient } = await import('../mcp/call-tool.ts')
      await callToolAsClient(cli, new URL('/mcp', hub.url), { tool, args, timeoutMs: flags.timeout })
    })
}

async function readArguments(cli: Cli, flags: Flags): Promise<Record<string, unknown>> {
  const given = [flags.json?.text, flags.arguments].filter((text) => text !== undefined)
  if (given.length > 1) throw new CliError(exitCodes.usage, 'Give the arguments once: --json or --arguments.')
  const [text] = given
  if (text === undefined) return {}
  return parseJsonObject(text === '-' ? await cli.terminal.readInput(inputLimitBytes) : text, 'The arguments')
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw new CliError(exitCodes.usage, `--timeout needs a number of seconds up to 86400, not '${text}'.`)
  }
  return seconds * 1000
}
