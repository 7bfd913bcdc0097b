import { randomBytes } from 'node:crypto'
import { HubError, impliedImage, type ContainerIsolation } from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { ContainerEngine } from './container-engine.ts'
import type { Program } from '../launch.ts'

export interface ContainerPlace {
  readonly engine: ContainerEngine
  /** Marks the containers of this hub, so that it finds those that it left behind. */
  readonly label: string
  /** Of the hub; null where the platform has none. */
  readonly user: { readonly uid: number; readonly gid: number } | null
}

/** Large enough for the packages that npx and uvx put there; it counts as memory of the container. */
const scratch = '/tmp:rw,exec,nosuid,nodev,size=512m,mode=1777'

export const homeLabel = 'herma.home'

/** A name for one run; two processes of one connector must not get in each other's way. */
export function newContainerName(connector: string): string {
  return `herma-${connector.toLowerCase()}-${randomBytes(6).toString('hex')}`
}

/**
 * The command line of `docker run` or `podman run`. Values of variables are not on it: the engine's client takes them
 * from its environment, where no list of processes shows them.
 */
export function containerArguments(
  program: Program & { readonly isolation: ContainerIsolation },
  container: string,
  { engine, label, user }: ContainerPlace,
): string[] {
  const { isolation, command, args, name, workingDir } = program
  const { network, memoryMb, cpus, processes, mounts } = isolation
  const image = isolation.image ?? impliedImage(command)
  if (image === null) throw invalid(name, `names no image that '${command}' could run in. Name one: --image IMAGE`)
  if (isolation.image === undefined && network === 'none')
    throw invalid(
      name,
      `has no network, and '${command}' fetches its package from there. Name a network: herma edit ${name} --network bridge. Or an image that has the server: --image IMAGE`,
    )
  const targets = mounts.map(({ source, target = source }) => target)
  const isMounted = targets.some((target) => isInside(target, workingDir))
  return [
    'run',
    '--interactive',
    '--rm',
    '--init',
    `--name=${container}`,
    `--label=${homeLabel}=${label}`,
    `--label=herma.connector=${name}`,
    '--read-only',
    `--tmpfs=${scratch}`,
    `--network=${network}`,
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    `--memory=${memoryMb}m`,
    // The same as memory: no swap on top of it.
    `--memory-swap=${memoryMb}m`,
    `--cpus=${cpus}`,
    `--pids-limit=${processes}`,
    // What it says to us must not fill the disk of the engine as well.
    '--log-driver=none',
    ...userArguments(isolation, engine, user),
    ...mounts.map(
      ({ source, target = source, writable }) =>
        `--mount=type=bind,source=${source},target=${target}${writable ? '' : ',readonly'}`,
    ),
    ...(isMounted ? [`--workdir=${workingDir}`] : []),
    ...variableArguments(program),
    ...(command === '' ? [] : [`--entrypoint=${command}`]),
    image,
    ...args,
  ]
}

/** Not root, wherever it runs; whoever owns the hub's files can then read what is mounted. */
function userArguments({ user }: ContainerIsolation, { kind }: ContainerEngine, hub: ContainerPlace['user']): string[] {
  if (user !== undefined) return [`--user=${user}`]
  if (hub === null || hub.uid === 0) return ['--user=65532:65532']
  // Without it another user of the machine would stand for this one in a Podman without root.
  return [...(kind === 'podman' ? ['--userns=keep-id'] : []), `--user=${hub.uid}:${hub.gid}`]
}

/** What would steer the client of the engine, which runs on the host with the rights of the hub. */
const steering =
  /^(LD_|DYLD_|DOCKER|BUILD|CONTAINER|PODMAN|XDG_|SSH_|DBUS_|BASH|ENV$|SHELLOPTS$|GODEBUG$|REGISTRY_|STORAGE_)/i
/** Those of which the client needs its own, and which are never secret. */
const plain = ['PATH', 'HOME', 'TMPDIR']

function variableArguments({ name, env }: Program): string[] {
  const home = env['HOME'] === undefined ? ['--env=HOME=/tmp'] : []
  const own = Object.entries(env).map(([variable, value]) => {
    // A name with a star would be a pattern to Podman, one with an equals sign a value to both.
    if (!/^[A-Za-z_][\w.-]*$/.test(variable))
      throw invalid(name, `has a variable whose name cannot be passed on: '${variable}'`)
    if (steering.test(variable))
      throw invalid(
        name,
        `cannot pass '${variable}' into a container, since the engine itself would obey it. Set it in the image, or take it out`,
      )
    return plain.includes(variable) ? `--env=${variable}=${value}` : `--env=${variable}`
  })
  return [...home, ...own]
}

/** The variables that the client hands over. */
export function clientVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !plain.includes(variable)))
}

function invalid(name: string, problem: string): HubError {
  return new HubError('CONNECTOR_INVALID', `'${name}' ${problem}.`)
}
