import type { SessionPatch, SessionView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption } from '../../json-option.ts'
import { clearFields } from './clear-fields.ts'
import { keySecretOf, ownKeySecret, readKey, requireKeyed, storeKey } from './provider-key.ts'
import { readAgentCommand } from './read-agent-command.ts'
import { readJsonFields } from './read-json-fields.ts'
import { addSessionFlags, readSessionFlags, type SessionFlags } from './session-flags.ts'
import { sessionPath } from './session-path.ts'
import { describeSession } from './show.ts'

interface Flags extends SessionFlags {
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

export function editCommand(cli: Cli): Command {
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
    .addHelpText('after', `\n${examples}`)
    .action(async (name: string, flags: Flags) => {
      const { terminal } = cli
      const hub = await connectHub(cli)
      const stored = await hub.send<SessionView>('GET', sessionPath(name))
      const patch = await readPatch(cli, flags, stored)
      const value = await readNewKey(cli, flags, { ...stored, ...patch })
      if (Object.keys(patch).length === 0 && value === undefined)
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma session edit --help')
      let session = await hub.send<SessionView>('PATCH', sessionPath(name), patch)
      if (value !== undefined) {
        const secret = keySecretOf(session) ?? ownKeySecret(session.name)
        await storeKey(cli, hub, { secret, value, session: session.name })
        // Where the provider has no usual name for its key, the session has to say where it is.
        const named = session.keySecret === null && secret === ownKeySecret(session.name) ? { keySecret: secret } : {}
        session = await hub.send<SessionView>('PATCH', sessionPath(session.name), named)
      }
      terminal.answer(session, () => `Changed '${session.name}'.\n\n${describeSession(session, hub.url)}`)
    })
}

const examples = `Examples:
  herma session edit coder --model MODEL --limit maxSteps=60,maxCostUsd=2 --price in=3,out=15
  herma session edit coder --instructions @instructions.md --approval writes
  herma session edit coder --tool-allow 'files__*' --tool-deny '*delete*'
  herma session edit coder --clear route --clear price`

async function readPatch(cli: Cli, flags: Flags, stored: SessionView): Promise<SessionPatch> {
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
  flags: Flags,
  { provider }: Pick<SessionView, 'provider'>,
): Promise<string | undefined> {
  if (flags.key !== undefined || flags.keyFile !== undefined) requireKeyed(provider)
  return readKey(flags, cli)
}
