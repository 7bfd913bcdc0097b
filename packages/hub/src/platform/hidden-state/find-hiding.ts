import { execFile } from 'node:child_process'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { isInside } from '../file/is-inside.ts'
import { openRootNamespace } from './root-namespace.ts'

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface HiddenCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly workingDir: string
  /** Another user to become; only root can. */
  readonly as?: User | undefined
  /** What it sees all the same: real folders inside one that is hidden. */
  readonly shown?: Shown | undefined
}

export interface Shown {
  /** The hidden folder that they are in. */
  readonly within: string
  readonly folders: readonly string[]
}

/** A way to hide the state of the hub from a process, or why there is none here. */
export type Hiding =
  | {
      readonly way: 'root' | 'user' | 'bubblewrap'
      /** The command line with which the program is started instead. */
      wrap(hidden: HiddenCommand): string[]
      /** Lets go of what it holds open; nothing can be started in it any more. */
      close?(): void
    }
  | { readonly way: null; readonly why: string }

/**
 * What a server that runs as root keeps of root's powers: those that Docker leaves to a container, without the making of
 * devices. With the others it could take off what hides the state, look past it, or into the hub.
 */
const keptCapabilities =
  '+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+audit_write,+setfcap'

/**
 * Puts an empty folder over each folder, and an empty file over each file, and becomes the program: no process stays
 * behind. A folder in a hidden one is brought back through what was open before. The working directory is entered again,
 * since the one that was inherited leads past what was put over it. Its variables are named so that none of the
 * program's own has such a name.
 */
const script = `
herma_mount=$1 herma_mkdir=$2 herma_open=
shift 2
while [ "$1" != -- ]; do
  case $1 in
    open) exec 3< "$2" && herma_open=$2 ;;
    hide)
      if [ "$2" = "$herma_open" ]; then
        "$herma_mount" -n -t tmpfs -o size=64k,mode=0555,nosuid,nodev herma "$2"
      elif [ -d "$2" ]; then
        "$herma_mount" -n -t tmpfs -o size=4k,mode=0555,ro,nosuid,nodev herma "$2"
      else
        "$herma_mount" -n --bind /dev/null "$2"
      fi ;;
    show) (umask 022 && "$herma_mkdir" -p "$2") && "$herma_mount" -n -c --bind "/proc/self/fd/3/\${2#"$herma_open"/}" "$2" ;;
    seal) exec 3<&- && "$herma_mount" -n -o remount,bind,ro,nosuid,nodev "$2" ;;
  esac || exit 126
  shift 2
done
shift
unset herma_mount herma_mkdir herma_open
cd -- "$1" || exit 126
shift
exec "$@"`

const probeMs = 10_000

/** Looks once for a way that works here. */
export async function findHiding(paths: readonly string[]): Promise<Hiding> {
  if (process.platform !== 'linux') return { way: null, why: `${process.platform} has no namespaces` }
  const hidden = await realPaths(paths)
  // Found now, so that no variable of a server decides what these names mean.
  const [unshare, nsenter, setpriv, mount, mkdir, bwrap] = await Promise.all([
    findTool('unshare'),
    findTool('nsenter'),
    findTool('setpriv'),
    findTool('mount'),
    findTool('mkdir'),
    findTool('bwrap'),
  ])
  const ways: Hiding[] = []
  const isRoot = process.getuid!() === 0
  if (unshare !== null && nsenter !== null && setpriv !== null && mount !== null && mkdir !== null) {
    const tools = { unshare, nsenter, setpriv, mount, mkdir }
    if (!isRoot) ways.push(asUser(tools, hidden))
    else ways.push(await asRoot(tools, hidden).catch((error: Error) => ({ way: null, why: error.message })))
  }
  if (bwrap !== null && !isRoot) {
    const isFolder = await Promise.all(hidden.map(async (path) => (await stat(path)).isDirectory()))
    const over = hidden.flatMap((path, index) =>
      isFolder[index] ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    )
    ways.push(withBubblewrap(bwrap, over))
  }
  const problems =
    ways.length === 0 ? ['neither unshare, nsenter and setpriv of util-linux nor bwrap is on the PATH of the hub'] : []
  const [folder = '/nonexistent'] = hidden
  for (const hiding of ways) {
    if (hiding.way === null) {
      problems.push(hiding.why)
      continue
    }
    const look = { command: '/bin/sh', args: ['-c', 'test -z "$(ls -A "$0")"', folder], workingDir: '/' }
    const problem = await tryOut(hiding.wrap(look))
    if (problem === null) return hiding
    hiding.close?.()
    problems.push(problem)
  }
  return { way: null, why: problems.join('; ') }
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)))
  const found = [...new Set(real.filter((path) => path !== null))]
  // What lies in a folder that is hidden is hidden with it.
  return found.filter((path) => !found.some((other) => other !== path && isInside(other, path)))
}

interface Tools {
  readonly unshare: string
  readonly nsenter: string
  readonly setpriv: string
  readonly mount: string
  readonly mkdir: string
}

async function asRoot(tools: Tools, hidden: readonly string[]): Promise<Hiding> {
  const { unshare, nsenter, setpriv } = tools
  const namespace = await openRootNamespace(unshare)
  const enter = [nsenter, `--user=${namespace.path}`, '--preserve-credentials', '--']
  return {
    way: 'root',
    close: () => namespace[Symbol.dispose](),
    wrap({ command, args, workingDir, as, shown }) {
      const user =
        as === undefined
          ? [`--bounding-set=-all,${keptCapabilities}`]
          : [`--reuid=${as.uid}`, `--regid=${as.gid}`, '--clear-groups', '--bounding-set=-all', '--no-new-privs']
      const inner = [workingDir, setpriv, '--inh-caps=-all', ...user, '--', command, ...args]
      return [...enter, unshare, '--mount', '--propagation=private', '--', ...shell(tools, hidden, shown), ...inner]
    },
  }
}

function asUser(tools: Tools, hidden: readonly string[]): Hiding {
  const { unshare, setpriv } = tools
  return {
    way: 'user',
    wrap({ command, args, workingDir, shown }) {
      const space = ['--user', '--map-current-user', '--keep-caps', '--mount', '--propagation=private']
      const bare = ['--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all']
      const inner = [workingDir, setpriv, ...bare, '--', command, ...args]
      return [unshare, ...space, '--', ...shell(tools, hidden, shown), ...inner]
    },
  }
}

function shell({ mount, mkdir }: Tools, hidden: readonly string[], shown?: Shown): string[] {
  const steps = [
    ...(shown === undefined ? [] : ['open', shown.within]),
    ...hidden.flatMap((path) => ['hide', path]),
    ...(shown === undefined ? [] : [...shown.folders.flatMap((path) => ['show', path]), 'seal', shown.within]),
  ]
  return ['/bin/sh', '-c', script, 'herma', mount, mkdir, ...steps, '--']
}

function withBubblewrap(bwrap: string, over: readonly string[]): Hiding {
  return {
    way: 'bubblewrap',
    wrap({ command, args, workingDir, shown }) {
      const back = shown?.folders.flatMap((path) => ['--bind', path, path]) ?? []
      return [bwrap, '--dev-bind', '/', '/', ...over, ...back, '--chdir', workingDir, '--', command, ...args]
    },
  }
}

async function findTool(name: string): Promise<string | null> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder.startsWith('/') && (await isProgram(join(folder, name)))) return join(folder, name)
  }
  return null
}

export async function isProgram(path: string): Promise<boolean> {
  const isExecutable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  return isExecutable && (await stat(path)).isFile()
}

async function tryOut([command = '', ...args]: readonly string[]): Promise<string | null> {
  return await new Promise((resolve) => {
    execFile(command, [...args], { timeout: probeMs, cwd: '/' }, (error, _stdout, stderr) => {
      resolve(error === null ? null : stderr.split('\n')[0]?.trim() || `${command} failed`)
    })
  })
}
