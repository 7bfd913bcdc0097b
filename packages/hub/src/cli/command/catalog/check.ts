import type { FragmentView } from '@herma/contract'
import { Command } from 'commander'

import { resolveHomes } from '../../../platform/file/homes.ts'
import type { Cli } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { describeFragments } from './describe-fragments.ts'

export function checkCommand(cli: Cli): Command {
  return new Command('check')
    .description('check files of the catalog without a hub; absent: those of the config home')
    .argument('[file...]', 'fragments; one named custom_tools.json has custom tools')
    .action(async (files: string[]) => {
      const fragments = await readFiles(cli, files)
      if (fragments.some(({ isEnabled }) => !isEnabled)) cli.exitCode = exitCodes.failed
      cli.terminal.answer({ fragments }, () => describeFragments(fragments, cli.terminal))
    })
}

async function readFiles({ terminal }: Cli, files: readonly string[]): Promise<FragmentView[]> {
  // Loaded here, because no other command reads fragments itself.
  const { checkFragmentFile, mergeFragments, readFragments } = await import('../../../catalog/fragment/index.ts')
  const folders = { ...resolveHomes(terminal.env), workspace: process.cwd() }
  if (files.length > 0) return Promise.all(files.map((file) => checkFragmentFile(file, folders)))
  // Merged, so that what one file replaces of another is told too.
  return mergeFragments(await readFragments(folders)).views
}
