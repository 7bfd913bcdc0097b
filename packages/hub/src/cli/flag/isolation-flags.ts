import {
  parseMount,
  type ConnectorPatch,
  type ContainerIsolation,
  type ContainerMount,
  type Isolation,
} from '@herma/contract'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { collect } from './connector-flags.ts'

/** What the process of a connector may touch. */
export interface IsolationFlags {
  isolation?: 'none' | 'process' | 'container'
  runAs?: string
  engine?: 'docker' | 'podman'
  image?: string
  network?: string
  mount?: string[]
  memory?: string
  cpus?: string
  processes?: string
}

export function addIsolationFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--isolation <how>',
        'process = it does not see the state of the hub (the default), none = it does, container = Docker or Podman',
      ).choices(['none', 'process', 'container']),
    )
    .option('--run-as <user>', 'another user that its process runs as; for a hub that is root')
    .option('--image <image>', 'image of its container; npx and uvx have one by themselves')
    .option('--network <name>', 'network of its container; absent: none')
    .option('--mount <spec>', 'folder that its container sees: DIR, DIR:rw, DIR:TARGET or DIR:TARGET:rw', collect)
    .option('--memory <mb>', 'memory of its container, in MB')
    .option('--cpus <number>', 'processors of its container')
    .option('--processes <number>', 'processes of its container at once')
    .addOption(new Option('--engine <engine>', 'what runs its container').choices(['docker', 'podman']))
}

/** What the flags say, over what is stored; undefined where they say nothing. */
export function readIsolation(flags: IsolationFlags, stored: Isolation | null = null): ConnectorPatch['isolation'] {
  const { isolation, runAs } = flags
  const container = readContainer(flags)
  const isContainer = Object.keys(container).length > 0
  if (isolation === undefined && runAs === undefined && !isContainer) return undefined
  const type = isolation ?? (isContainer ? 'container' : 'process')
  if (isContainer && type !== 'container')
    throw new CliError(exitCodes.usage, `--${flagOf(flags)} is for a container: --isolation container`)
  if (runAs !== undefined && type !== 'process')
    throw new CliError(exitCodes.usage, '--run-as is for a process. Images say which user a container has.')
  if (type === 'none') return { type }
  if (type === 'process') return { type, ...(runAs !== undefined && { user: runAs }) }
  const before = stored?.type === 'container' ? stored : undefined
  // Defaults are filled in by the hub.
  return { ...before, type, ...container } as Isolation
}

function flagOf(flags: IsolationFlags): string {
  return (['image', 'network', 'mount', 'memory', 'cpus', 'processes', 'engine'] as const).find(
    (name) => flags[name] !== undefined,
  )!
}

function readContainer({
  engine,
  image,
  network,
  mount,
  memory,
  cpus,
  processes,
}: IsolationFlags): Partial<ContainerIsolation> {
  return {
    ...(engine !== undefined && { engine }),
    ...(image !== undefined && { image }),
    ...(network !== undefined && { network }),
    ...(mount !== undefined && { mounts: mount.map(readMount) }),
    ...(memory !== undefined && { memoryMb: readNumber('--memory', memory) }),
    ...(cpus !== undefined && { cpus: readNumber('--cpus', cpus) }),
    ...(processes !== undefined && { processes: readNumber('--processes', processes) }),
  }
}

function readMount(spec: string): ContainerMount {
  const mount = parseMount(spec)
  if (mount === null)
    throw new CliError(exitCodes.usage, `--mount needs DIR, DIR:rw, DIR:TARGET or DIR:TARGET:rw, not '${spec}'.`)
  return { ...mount, source: resolve(mount.source) }
}

function readNumber(flag: string, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number))
    throw new CliError(exitCodes.usage, `${flag} needs a number, not '${text}'.`)
  return number
}
