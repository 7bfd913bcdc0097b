import type { SecretView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { secretPath } from './secret-path.ts'

const valueLimitBytes = 65_536

export function setCommand(cli: Cli): Command {
  return (
    new Command('set')
      .description('store a secret, or another value of it; the value is asked for, or comes from standard input')
      .argument('<name>', 'name of the secret')
      // A value on the command line would stand in the history of the shell and in the list of processes.
      .argument('[more...]')
      .usage('NAME [options]')
      .option('--description <text>', 'what it is for')
      .option('--keep-value', 'change the description alone')
      .action(async (name: string, more: string[], flags: { description?: string; keepValue?: boolean }) => {
        if (more.length > 0)
          throw new CliError(
            exitCodes.usage,
            `A value has no place on the command line. Use: herma secret set ${name} < FILE`,
          )
        const hub = await connectHub(cli)
        const { description } = flags
        const value = flags.keepValue ? undefined : await readValue(cli, name)
        const secret = await hub.send<SecretView>('PUT', secretPath(name), { value, description })
        cli.terminal.answer(secret, () => describeStored(secret))
      })
  )
}

async function readValue({ terminal }: Cli, name: string): Promise<string> {
  const given = terminal.isInteractive
    ? await terminal.askHidden(`Value of ${name} (it is not shown): `)
    : await terminal.readInput(valueLimitBytes)
  // The line break at the end is the editor's, or the return key.
  const value = given.replace(/\r?\n$/, '')
  if (value === '') throw new CliError(exitCodes.usage, 'Nothing was given, so nothing was stored.')
  return value
}

function describeStored({ name, usedBy }: SecretView): string {
  const users =
    usedBy.length === 0 ? `Refer to it with {secret:${name}}.` : `Used by ${usedBy.join(', ')}: in effect from now on.`
  return `Stored '${name}'. ${users}`
}
