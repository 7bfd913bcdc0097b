import type { GeneratedSecret } from '@herma/contract'
import { Command, InvalidArgumentError } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { secretPath } from './secret-path.ts'

export function generateCommand(cli: Cli): Command {
  return new Command('generate')
    .description('make up a secret, store it, and print its value this once')
    .argument('<name>', 'name of the secret')
    .option('--bytes <number>', 'random bytes, 16 to 256', readNumber, 32)
    .option('--description <text>', 'what it is for')
    .action(async (name: string, { bytes, description }: { bytes: number; description?: string }) => {
      const hub = await connectHub(cli)
      const secret = await hub.send<GeneratedSecret>('POST', secretPath(name, '/generate'), { bytes, description })
      cli.terminal.answer(secret, () => secret.value)
      if (!cli.terminal.isMachine) cli.terminal.note(`Stored as '${name}'. Copy it now: it is not shown again.`)
    })
}

function readNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}
