import type { BindingPatch, BindingView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import type { HubClient } from '../../hub-client.ts'
import { jsonInput, type JsonOption } from '../../json-option.ts'
import { addBindingFlags, readBindingFlags, type BindingFlags } from './binding-flags.ts'
import { describeBinding } from './bindings.ts'
import { readJsonFields } from './read-json-fields.ts'
import { bindingPath, sessionPath } from './session-path.ts'

export function bindCommand(cli: Cli): Command {
  return addBindingFlags(new Command('bind'))
    .description('let a session use the tools of a connector, with what differs for it; or change how it does')
    .argument('<session>', 'name of the session')
    .argument('<connector>', 'name of the connector, as herma list shows it')
    .addOption(jsonInput('FIELDS'))
    .addHelpText('after', `\n${examples}`)
    .action(async (session: string, connector: string, flags: BindingFlags & { json?: JsonOption }) => {
      const hub = await connectHub(cli)
      const stored = await findBinding(hub, session, connector)
      const patch: BindingPatch = {
        ...(await readBindingFlags(flags, stored, cli.terminal)),
        ...(await readJsonFields(flags.json, cli.terminal)),
      }
      const binding = await (stored === undefined
        ? hub.send<BindingView>('POST', '/api/bindings', { ...patch, session, connector })
        : hub.send<BindingView>('PATCH', bindingPath(session, connector), patch))
      const text =
        stored === undefined
          ? `Bound '${connector}' to '${session}'.`
          : `'${session}' uses '${connector}' like this now.`
      cli.terminal.answer(binding, () => `${text}\n\n${describeBinding(binding, cli.terminal)}`)
    })
}

const examples = `Examples:
  herma session bind coder files --tool 'read_*' --cwd {cwd}
  herma session bind coder github --header Authorization=@token.txt
  herma session bind coder files --clear tool        all of its tools again`

export function unbindCommand(cli: Cli): Command {
  return new Command('unbind')
    .description('take a connector off a session')
    .argument('<session>', 'name of the session')
    .argument('<connector>', 'name of the connector')
    .action(async (session: string, connector: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', bindingPath(session, connector))
      cli.terminal.answer(
        { session, connector, removed: true },
        () => `'${session}' does not use '${connector}' any more.`,
      )
    })
}

async function findBinding(hub: HubClient, session: string, connector: string): Promise<BindingView | undefined> {
  const { bindings } = await hub.send<{ bindings: BindingView[] }>('GET', sessionPath(session, '/bindings'))
  return bindings.find((binding) => binding.connector === connector)
}
