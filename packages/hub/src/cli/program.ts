import { Command } from 'commander'

import type { Cli } from './terminal/cli.ts'
import { exitCodeHelp } from './terminal/exit-codes.ts'
import { isMachine, jsonFlag, type JsonOption } from './flag/json-option.ts'
import { version } from './mcp/version.ts'

interface GlobalOptions {
  hub?: string
  tokenFile?: string
  json?: boolean | JsonOption
}

/** In the order of `herma --help`. Each is loaded when it is used, or when all of them are told. */
const commands: Readonly<Record<string, () => Promise<(cli: Cli) => Command>>> = {
  up: async () => (await import('./command/up.ts')).upCommand,
  stdio: async () => (await import('./command/stdio.ts')).stdioCommand,
  stop: async () => (await import('./command/hub.ts')).stopCommand,
  status: async () => (await import('./command/hub.ts')).statusCommand,
  open: async () => (await import('./command/hub.ts')).openCommand,
  add: async () => (await import('./command/connector/add.ts')).addCommand,
  list: async () => (await import('./command/connector/connector.ts')).listCommand,
  show: async () => (await import('./command/connector/connector.ts')).showCommand,
  edit: async () => (await import('./command/connector/edit.ts')).editCommand,
  remove: async () => (await import('./command/connector/connector.ts')).removeCommand,
  enable: async () => (await import('./command/connector/connector.ts')).enableCommand,
  disable: async () => (await import('./command/connector/connector.ts')).disableCommand,
  login: async () => (await import('./command/connector/login.ts')).loginCommand,
  logout: async () => (await import('./command/connector/login.ts')).logoutCommand,
  credentials: async () => (await import('./command/connector/login.ts')).credentialsCommand,
  test: async () => (await import('./command/connector/test.ts')).testCommand,
  logs: async () => (await import('./command/connector/logs.ts')).logsCommand,
  discover: async () => (await import('./command/discover/discover.ts')).discoverCommand,
  bundle: async () => (await import('./command/discover/bundle.ts')).bundleCommand,
  tools: async () => (await import('./command/tools.ts')).toolsCommand,
  call: async () => (await import('./command/tools.ts')).callCommand,
  catalog: async () => (await import('./command/catalog/catalog.ts')).catalogCommand,
  session: async () => (await import('./command/session/session.ts')).sessionCommand,
  chat: async () => (await import('./command/chat/chat.ts')).chatCommand,
  team: async () => (await import('./command/team/team.ts')).teamCommand,
  server: async () => (await import('./command/server/server.ts')).serverCommand,
  access: async () => (await import('./command/access.ts')).accessCommand,
  user: async () => (await import('./command/user/user.ts')).userCommand,
  key: async () => (await import('./command/key.ts')).keyCommand,
  policy: async () => (await import('./command/policy.ts')).policyCommand,
  secret: async () => (await import('./command/secret.ts')).secretCommand,
  traces: async () => (await import('./command/traces/traces.ts')).tracesCommand,
  audit: async () => (await import('./command/traces/events.ts')).auditCommand,
  backup: async () => (await import('./command/backup.ts')).backupCommand,
  restore: async () => (await import('./command/backup.ts')).restoreCommand,
  gen: async () => (await import('./command/gen.ts')).genCommand,
}

/** The command line that these words are for. It throws instead of ending the process. */
export async function createProgram(cli: Cli, words: readonly string[]): Promise<Command> {
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
  const name = findCommand(words)
  const load = name !== undefined && Object.hasOwn(commands, name) ? [commands[name]!] : Object.values(commands)
  for (const create of await Promise.all(load.map((each) => each()))) program.addCommand(create(cli))
  return prepare(program, cli)
}

/** The first word that is neither a flag nor the value of one. */
export function findCommand(words: readonly string[]): string | undefined {
  return words.find((word, index) => !word.startsWith('-') && !valueFlags.has(words[index - 1] ?? ''))
}

const valueFlags: ReadonlySet<string> = new Set(['--hub', '--token-file'])

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
