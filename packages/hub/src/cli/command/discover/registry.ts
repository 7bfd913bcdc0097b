import type { DiscoverySettings } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'

const path = '/api/discovery/settings'

export function registryCommand(cli: Cli): Command {
  return new Command('registry')
    .description('show or set which registries are asked; the first is asked unless another is named')
    .option('--add <url>', 'ask this one too')
    .option('--remove <url>', 'do not ask this one any more')
    .action(async ({ add, remove }: { add?: string; remove?: string }) => {
      const hub = await connectHub(cli)
      const before = await hub.send<DiscoverySettings>('GET', path)
      const kept = before.registries.filter((url) => url !== remove?.replace(/\/+$/, ''))
      const registries = add === undefined ? kept : [...kept, add]
      const isChanged = add !== undefined || remove !== undefined
      const settings = isChanged ? await hub.send<DiscoverySettings>('PUT', path, { registries }) : before
      cli.terminal.answer(settings, () => settings.registries.join('\n'))
    })
}
