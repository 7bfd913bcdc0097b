import type { ProviderKind, SessionInput, SessionPatch, SessionView } from '@herma/contract'
import { keySecretOf } from '@herma/contract/plain'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { clearFields } from '../../flag/clear-fields.ts'
import { jsonInput, type JsonOption, readJsonFields } from '../../flag/json-option.ts'
import { threadCommand, threadsCommand } from '../chat/thread.ts'
import { switchCommand, type Switched } from '../switch-command.ts'
import { bindCommand, bindingsCommand, unbindCommand } from './binding.ts'
import { ownKeySecret, readKey, requireKeyed, storeKey } from './provider-key.ts'
import { addSessionFlags, providers, readAgentCommand, readSessionFlags, type SessionFlags } from './session-flags.ts'
import { describeSession, listCommand, pathCommand, showCommand, testCommand } from './show.ts'

/** In the order of `herma session --help`. */
const commands = [
  listCommand,
  addCommand,
  showCommand,
  editCommand,
  removeCommand,
  enableCommand,
  disableCommand,
  testCommand,
  bindCommand,
  unbindCommand,
  bindingsCommand,
  pathCommand,
  threadsCommand,
  threadCommand,
]

/** Agent sessions: a model with instructions, a folder and tools, served as an MCP server. */
export function sessionCommand(cli: Cli): Command {
  const session = new Command('session')
    .description('agents: a model with instructions, a folder and tools, each of them an MCP server')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) session.addCommand(create(cli), { isDefault: create === listCommand })
  return session
}

const examples = `Examples:
  herma session add coder --provider anthropic --model MODEL --dir ~/project --key    asks for the key
  herma session test coder                                                            does it answer?
  herma session bind coder files --tool 'read_*'                                      give it tools of a connector
  herma session path coder ../secret.txt                                              may it, and why?
  herma chat coder                                                                    talk to it`

interface AddFlags extends SessionFlags {
  json?: JsonOption
  disabled?: boolean
}

function addCommand(cli: Cli): Command {
  return addSessionFlags(new Command('add'))
    .description('add a session; it is served at once')
    .usage('NAME --provider PROVIDER [options]\n       herma session add NAME [options] -- CMD ARGS…')
    .argument('<session>', 'name of the session')
    .option('--disabled', 'store it without serving it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${addExamples}`)
    .action(async (name: string, flags: AddFlags) => {
      const { terminal, trailing } = cli
      const command = await readAgentCommand(flags, { trailing, stored: null, terminal })
      const fields: SessionPatch = {
        ...(command !== undefined && { provider: 'command', command }),
        ...(await readSessionFlags(flags, terminal)),
        ...(flags.disabled === true && { enabled: false }),
        ...(await readJsonFields(flags.json, terminal)),
      }
      const provider = requireProvider(name, fields.provider)
      if (flags.key !== undefined || flags.keyFile !== undefined) requireKeyed(provider)
      const value = await readKey(flags, cli)
      const secret = keySecretOf({ provider, keySecret: fields.keySecret ?? null })
      // Where the provider has no usual name for its key, the session has to say where it is.
      const key = secret === null && value !== undefined ? { keySecret: ownKeySecret(name) } : {}
      const hub = await connectHub(cli)
      let session = await hub.api.addSession({ body: { ...fields, ...key, name, provider } as SessionInput })
      if (value !== undefined) {
        await storeKey(cli, hub, { secret: secret ?? ownKeySecret(name), value, session: name })
        session = await hub.api.getSession({ name })
      }
      const next = `Test it: herma session test ${name}\nTalk to it: herma chat ${name}`
      terminal.answer(session, () => `Added '${name}'.\n\n${describeSession(session, hub.url)}\n\n${next}`)
    })
}

const addExamples = `Examples:
  herma session add coder --provider anthropic --model claude-sonnet-4-5 --dir ~/project --key
  herma session add local --provider openai-compatible --base-url http://127.0.0.1:11434/v1 --model llama3.2
  herma session add codex --command codex --dir ~/project
  herma session add mine --dir ~/project -- ./my-agent --prompt {prompt}
  herma session add finder --provider mcp --route 'search.web=brave.search(query={query})'
  herma session bind finder brave`

function requireProvider(name: string, provider: ProviderKind | undefined): ProviderKind {
  if (provider !== undefined) return provider
  const known = providers.join(', ')
  throw new CliError(
    exitCodes.usage,
    `Whose model is it? There are: ${known}. For example: herma session add ${name} --provider openai --model MODEL`,
  )
}

interface EditFlags extends SessionFlags {
  json?: JsonOption
  name?: string
  clear?: string[]
}

/** What `--clear` takes back, in the words of the flags. */
const clearable = {
  'base-url': { baseUrl: null },
  'key-secret': { keySecret: null },
  description: { description: '' },
  instructions: { instructions: '' },
  temperature: { temperature: null },
  dir: { workingDir: null },
  root: { paths: { roots: [] } },
  ability: { abilities: null },
  price: { pricing: null },
  route: { routes: [] },
  command: { command: null },
}

function editCommand(cli: Cli): Command {
  return addSessionFlags(new Command('edit'))
    .description(
      'change a session; it holds from its next turn on. A flag that may be repeated replaces the whole list',
    )
    .usage(
      'NAME [options]\n       herma session edit NAME [options] -- CMD ARGS…\n       herma session edit NAME --json FIELDS|-',
    )
    .argument('<session>', 'name of the session')
    .option('--name <name>', 'new name; its address changes, too')
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${editExamples}`)
    .action(async (name: string, flags: EditFlags) => {
      const { terminal } = cli
      const hub = await connectHub(cli)
      const stored = await hub.api.getSession({ name })
      const patch = await readPatch(cli, flags, stored)
      const value = await readNewKey(cli, flags, { ...stored, ...patch })
      if (Object.keys(patch).length === 0 && value === undefined)
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma session edit --help')
      let session = await hub.api.updateSession({ name, body: patch })
      if (value !== undefined) {
        const secret = keySecretOf(session) ?? ownKeySecret(session.name)
        await storeKey(cli, hub, { secret, value, session: session.name })
        // Where the provider has no usual name for its key, the session has to say where it is.
        const named = session.keySecret === null && secret === ownKeySecret(session.name) ? { keySecret: secret } : {}
        session = await hub.api.updateSession({ name: session.name, body: named })
      }
      terminal.answer(session, () => `Changed '${session.name}'.\n\n${describeSession(session, hub.url)}`)
    })
}

const editExamples = `Examples:
  herma session edit coder --model MODEL --limit maxSteps=60,maxCostUsd=2 --price in=3,out=15
  herma session edit coder --instructions @instructions.md --approval writes
  herma session edit coder --tool-allow 'files__*' --tool-deny '*delete*'
  herma session edit coder --clear route --clear price`

async function readPatch(cli: Cli, flags: EditFlags, stored: SessionView): Promise<SessionPatch> {
  const { terminal, trailing } = cli
  const command = await readAgentCommand(flags, { trailing, stored: stored.command, terminal })
  const given: SessionPatch = {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(command !== undefined && { command, provider: 'command' }),
    ...(await readSessionFlags(flags, terminal)),
    ...(await readJsonFields(flags.json, terminal)),
  }
  return { ...given, ...clearFields(flags.clear ?? [], clearable, given) }
}

async function readNewKey(
  cli: Cli,
  flags: EditFlags,
  { provider }: Pick<SessionView, 'provider'>,
): Promise<string | undefined> {
  if (flags.key !== undefined || flags.keyFile !== undefined) requireKeyed(provider)
  return readKey(flags, cli)
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a session with its threads and bindings; its files and its key stay')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      await api.removeSession({ name })
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

const switched: Switched = {
  thing: 'session',
  on: 'let a session work again',
  off: 'let a session take no work, without forgetting it',
  switch: (api, name, enabled) => api.updateSession({ name, body: { enabled } }),
}

function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}
