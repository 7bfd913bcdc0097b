import type { ProviderKind, SessionPatch, SessionView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption } from '../../json-option.ts'
import { keySecretOf, ownKeySecret, readKey, requireKeyed, storeKey } from './provider-key.ts'
import { readAgentCommand } from './read-agent-command.ts'
import { readJsonFields } from './read-json-fields.ts'
import { addSessionFlags, providers, readSessionFlags, type SessionFlags } from './session-flags.ts'
import { sessionPath } from './session-path.ts'
import { describeSession } from './show.ts'

interface Flags extends SessionFlags {
  json?: JsonOption
  disabled?: boolean
}

export function addCommand(cli: Cli): Command {
  return addSessionFlags(new Command('add'))
    .description('add a session; it is served at once')
    .usage('NAME --provider PROVIDER [options]\n       herma session add NAME [options] -- CMD ARGS…')
    .argument('<session>', 'name of the session')
    .option('--disabled', 'store it without serving it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${examples}`)
    .action(async (name: string, flags: Flags) => {
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
      let session = await hub.send<SessionView>('POST', '/api/sessions', { ...fields, ...key, name })
      if (value !== undefined) {
        await storeKey(cli, hub, { secret: secret ?? ownKeySecret(name), value, session: name })
        session = await hub.send<SessionView>('GET', sessionPath(name))
      }
      const next = `Test it: herma session test ${name}\nTalk to it: herma chat ${name}`
      terminal.answer(session, () => `Added '${name}'.\n\n${describeSession(session, hub.url)}\n\n${next}`)
    })
}

const examples = `Examples:
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
