import { resolve } from 'node:path'
import type { SecretKeysView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { showProgress } from '../../show-progress.ts'
import { describeKeys } from './keys.ts'

interface Flags {
  master?: boolean
  newKeyFile?: string
}

export function rotateCommand(cli: Cli): Command {
  return new Command('rotate')
    .description('replace the data key and seal every value anew, or replace the master key; the hub goes on serving')
    .option('--master', 'the master key; one of HERMA_KEY_FILE or HERMA_KEY_COMMAND must have been replaced before')
    .option('--new-key-file <file>', 'let the key in this file, on the machine of the hub, open everything too')
    .action(async ({ master, newKeyFile }: Flags) => {
      const hub = await connectHub(cli)
      const input = { master, newKeyFile: newKeyFile === undefined ? undefined : resolve(newKeyFile) }
      const rotating = hub.send<SecretKeysView>('POST', '/api/secret-keys/rotate', input, { patient: true })
      const keys = await showProgress(cli.terminal, 'Rotating', rotating)
      cli.terminal.answer(keys, () => `${describeOutcome(input, keys)}\n\n${describeKeys(cli, keys)}`)
    })
}

function describeOutcome({ master, newKeyFile }: Flags, keys: SecretKeysView): string {
  if (newKeyFile === undefined) return master ? 'The master key is another one.' : 'Every value is sealed anew.'
  if (keys.master.next === null) return 'This is the present key. No other one waits any more.'
  return (
    'Both keys open everything now. Put the new one in place of the present one, then run: herma secret rotate --master. ' +
    'Or, for another place, set HERMA_KEY_FILE and start the hub again.'
  )
}
