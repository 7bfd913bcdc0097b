import { Command } from 'commander'

import type { Cli } from './terminal/cli.ts'
import { accessCommand } from './command/access.ts'
import { addCommand } from './command/connector/add.ts'
import { auditCommand } from './command/traces/events.ts'
import { backupCommand, restoreCommand } from './command/backup.ts'
import { bundleCommand } from './command/discover/bundle.ts'
import { callCommand, toolsCommand } from './command/tools.ts'
import { catalogCommand } from './command/catalog/catalog.ts'
import { chatCommand } from './command/chat/chat.ts'
import { credentialsCommand, loginCommand, logoutCommand } from './command/connector/login.ts'
import { discoverCommand } from './command/discover/discover.ts'
import { editCommand } from './command/connector/edit.ts'
import {
  disableCommand,
  enableCommand,
  listCommand,
  removeCommand,
  showCommand,
} from './command/connector/connector.ts'
import { genCommand } from './command/gen.ts'
import { keyCommand } from './command/key.ts'
import { logsCommand } from './command/connector/logs.ts'
import { openCommand, statusCommand, stopCommand } from './command/hub.ts'
import { policyCommand } from './command/policy.ts'
import { secretCommand } from './command/secret.ts'
import { serverCommand } from './command/server/server.ts'
import { sessionCommand } from './command/session/session.ts'
import { stdioCommand } from './command/stdio.ts'
import { teamCommand } from './command/team/team.ts'
import { testCommand } from './command/connector/test.ts'
import { tracesCommand } from './command/traces/traces.ts'
import { upCommand } from './command/up.ts'
import { userCommand } from './command/user/user.ts'
import { exitCodeHelp } from './terminal/exit-codes.ts'
import { isMachine, jsonFlag, type JsonOption } from './flag/json-option.ts'
import { version } from './mcp/version.ts'

interface GlobalOptions {
  hub?: string
  tokenFile?: string
  json?: boolean | JsonOption
}

/** In the order of `herma --help`. */
const commands = [
  upCommand,
  stdioCommand,
  stopCommand,
  statusCommand,
  openCommand,
  addCommand,
  listCommand,
  showCommand,
  editCommand,
  removeCommand,
  enableCommand,
  disableCommand,
  loginCommand,
  logoutCommand,
  credentialsCommand,
  testCommand,
  logsCommand,
  discoverCommand,
  bundleCommand,
  toolsCommand,
  callCommand,
  catalogCommand,
  sessionCommand,
  chatCommand,
  teamCommand,
  serverCommand,
  accessCommand,
  userCommand,
  keyCommand,
  policyCommand,
  secretCommand,
  tracesCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
  genCommand,
]

/** The whole command line. It throws instead of ending the process. */
export function createProgram(cli: Cli): Command {
  const program = new Command('herma')
    .description('One MCP endpoint for all of your servers, agents and teams.')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .addHelpText('after', `\n${examples}\n\n${exitCodeHelp}`)
    .hook('preAction', (_program, command) => {
      const { hub, tokenFile, json } = command.optsWithGlobals<GlobalOptions>()
      cli.hubUrl = hub
      cli.tokenFile = tokenFile
      cli.terminal.isMachine = isMachine(json)
    })
  addGlobalOptions(program)
  for (const create of commands) program.addCommand(create(cli))
  return prepare(program, cli)
}

const examples = `Examples:
  herma up                                          start the hub
  herma add docs https://mcp.example.com/mcp        add a server by its URL
  herma add files -- npx -y some-mcp-server ~/docs  add a server by its command
  herma tools                                       what clients see now
  herma call files__read --json '{"path": "a.txt"}' call a tool
  herma test files                                  why does it not work?`

/** `parents` are the words in front of the command. */
function prepare(command: Command, cli: Cli, parents: readonly string[] = []): Command {
  const words = [...parents, command.name()]
  if (parents.length > 0) addGlobalOptions(command)
  // Otherwise a group of commands would take the options of those in it.
  if (command.commands.length > 0) command.enablePositionalOptions()
  for (const child of command.commands) prepare(child, cli, words)
  return command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text),
      writeErr: (text) => cli.terminal.note(text.trimEnd()),
    })
    .showHelpAfterError(`See: ${helpOf(words.join(' '))}`)
}

function addGlobalOptions(command: Command): void {
  // Only up starts a hub; everything else looks for one.
  if (command.name() !== 'up')
    command
      .option('--hub <url>', 'address of the hub; absent: the one of the state home')
      .option('--token-file <file>', 'file with an API key for that hub; absent: you are its operator')
  if (!command.options.some(({ long }) => long === '--json')) command.addOption(jsonFlag())
}

function helpOf(words: string): string {
  // A command without -- in front of it is the usual reason for a flag that add does not know.
  const hint = words === 'herma add' ? 'herma add NAME -- CMD ARGS, for a command. All flags: ' : ''
  return `${hint}${words} --help`
}
