import { resolve } from 'node:path'
import type { TeamPatch } from '@herma/contract'
import { type Command, Option } from 'commander'

import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { wholeNumber } from '../catalog/whole-number.ts'

/** Flags that `add` and `edit` have in common. */
export interface TeamFlags {
  description?: string
  dir?: string
  root?: string[]
  deny?: string[]
  pathPolicy?: 'on' | 'off'
  hops?: number
  concurrency?: number
  queue?: number
  deadline?: number
}

const maxSeconds = 86_400

export function addTeamFlags(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--dir <dir>', 'where its members work unless a call says otherwise')
    .option('--root <dir>', 'a folder that they may touch, in place of what each of them may', collect)
    .option('--deny <glob>', 'paths that they may not touch; absent: the usual places of secrets', collect)
    .addOption(
      new Option('--path-policy <switch>', 'whether --root and --deny hold; on as soon as one is given').choices([
        'on',
        'off',
      ]),
    )
    .option('--hops <number>', 'served servers that one request may pass; absent: 3', wholeNumber('--hops', 20))
    .option('--concurrency <number>', 'calls at once; absent: 4', wholeNumber('--concurrency', 256))
    .option('--queue <number>', 'calls that may wait, or 0; absent: 100', readQueue)
    .option(
      '--deadline <seconds>',
      'time of a call, waiting included; absent: 1800',
      wholeNumber('--deadline', maxSeconds),
    )
}

/** The changes that the flags ask for; `stored` has the paths that are not mentioned. */
export function readTeamFlags(
  flags: TeamFlags,
  stored?: { readonly paths: NonNullable<TeamPatch['paths']> },
): TeamPatch {
  const { description, dir, root, deny, pathPolicy, hops, concurrency, queue, deadline } = flags
  const hasPaths = root !== undefined || deny !== undefined
  return {
    ...(description !== undefined && { description }),
    ...(dir !== undefined && { workingDir: resolve(dir) }),
    ...(hasPaths && {
      hasPathPolicy: true,
      paths: {
        roots: stored?.paths.roots ?? [],
        ...stored?.paths,
        ...(root !== undefined && { roots: root.map((folder) => resolve(folder)) }),
        ...(deny !== undefined && { denied: deny }),
      },
    }),
    ...(pathPolicy !== undefined && { hasPathPolicy: pathPolicy === 'on' }),
    ...(hops !== undefined && { hopLimit: hops }),
    ...(concurrency !== undefined && { maxConcurrency: concurrency }),
    ...(queue !== undefined && { maxQueue: queue }),
    ...(deadline !== undefined && { deadlineMs: deadline * 1000 }),
  }
}

function readQueue(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new CliError(exitCodes.usage, `--queue needs a number from 0 to 10000, not '${text}'.`)
}
