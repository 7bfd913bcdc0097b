import { chown, mkdir, realpath, stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import {
  describeContainer,
  HubError,
  type Connector,
  type ContainerIsolation,
  type Isolation,
  type IsolationView,
} from '@herma/contract'
import { isInside } from '../../platform/file/is-inside.ts'
import type { Log } from '../../platform/log.ts'
import { Containers } from './container/containers.ts'
import { findUser, type NamedUser } from './find-user.ts'
import { findHiding, isProgram, type Hiding } from './hidden-state.ts'
import { serverEnvironment, type Launch, type Program } from './launch.ts'

export interface IsolatorOptions {
  readonly stateHome: string
  /** What else of the hub is nobody's business: the folder of the database's socket, a key file. */
  readonly alsoHidden: readonly string[]
  readonly log: Log
}

/** Decides how the process of a stdio server is started, so that it touches no more than its connector says. */
export class Isolator {
  readonly #options: IsolatorOptions
  readonly #containers: Containers
  #hiding: Hiding = { way: null, why: 'it was not looked for' }
  #realState: string

  constructor(options: IsolatorOptions) {
    this.#options = options
    this.#realState = options.stateHome
    this.#containers = new Containers(options.stateHome, options.log)
  }

  /** Finds out what the machine can do. */
  async start(): Promise<void> {
    const { stateHome, alsoHidden, log } = this.#options
    this.#realState = await realpath(stateHome).catch(() => stateHome)
    this.#hiding = await findHiding([stateHome, ...alsoHidden])
    if (this.#hiding.way === null) log.info('servers can read the state of the hub', { why: this.#hiding.why })
  }

  stop(): void {
    if (this.#hiding.way !== null) this.#hiding.close?.()
  }

  /** Removes the containers that a hub that was killed has left behind. */
  removeLeftovers(): Promise<void> {
    return this.#containers.removeLeftovers()
  }

  async launch(program: Program): Promise<Launch> {
    const { isolation } = program
    if (isolation.type === 'container') return await this.#containers.launch({ ...program, isolation })
    return isolation.type === 'none' ? plainLaunch(program) : await this.#launchProcess(program, isolation.user)
  }

  /** Where it would run; throws with the next step where it could not. */
  async resolveContainer(program: Program & { readonly isolation: ContainerIsolation }): Promise<string> {
    return await this.#containers.resolve(program)
  }

  /** What is kept from the process of a connector, and what is not. */
  describe({ isolation = { type: 'process' }, cmd = '' }: Pick<Connector, 'isolation' | 'cmd'>): IsolationView {
    return isolation.type === 'container' ? describeContainer(isolation, cmd) : this.#describeProcess(isolation)
  }

  async #launchProcess(program: Program, wanted: string | undefined): Promise<Launch> {
    const as = wanted === undefined ? undefined : await this.#becomes(program.name, wanted)
    const launch =
      as === undefined ? plainLaunch(program) : asOther(program, as.name, await this.#homeOf(program.name, as))
    if (this.#hiding.way === null) return { ...launch, ...(as !== undefined && { uid: as.uid, gid: as.gid }) }
    const found = await findCommand(program)
    // What cannot be started is left to the system to complain of, in its own words, and must not be found after all.
    if (found === null)
      return { ...launch, command: join('/', isPath(program.command) ? place(program) : 'nowhere/program') }
    const workingDir = await realpath(program.workingDir).catch(() => program.workingDir)
    this.#refuseState(program.name, 'works in', workingDir)
    this.#refuseState(program.name, 'runs', await realpath(found))
    const [deferred, env] = deferSteering(launch.env)
    const inner =
      deferred.length === 0
        ? { command: program.command, args: program.args }
        : {
            command: '/bin/sh',
            args: ['-c', `${deferred.join('\n')}\nexec "$@"`, 'herma', program.command, ...program.args],
          }
    const [command = '', ...args] = this.#hiding.wrap({ ...inner, workingDir, as })
    return { command, args, env, cwd: launch.cwd }
  }

  /** A folder in the state home would be empty to the server. */
  #refuseState(name: string, does: string, path: string): void {
    if (!isInside(this.#realState, path)) return
    throw new HubError(
      'CONNECTOR_INVALID',
      `'${name}' ${does} ${path}, which is in the state home and so hidden from it. Choose another place, or show it all of the state: herma edit ${name} --isolation none`,
    )
  }

  async #becomes(name: string, wanted: string): Promise<NamedUser> {
    if (process.getuid?.() !== 0)
      throw new HubError(
        'CONNECTOR_INVALID',
        `'${name}' is to run as '${wanted}', which only a hub that is root can do. Take it out: herma edit ${name} --isolation process`,
      )
    const user = await findUser(wanted)
    if (user === null)
      throw new HubError(
        'CONNECTOR_INVALID',
        `'${name}' is to run as '${wanted}', and there is no such user here. Name another.`,
      )
    const database = await stat(join(this.#options.stateHome, 'postgres')).catch(() => null)
    if (user.uid === 0 || user.uid === database?.uid)
      throw new HubError(
        'CONNECTOR_INVALID',
        `'${name}' cannot run as '${wanted}', who ${user.uid === 0 ? 'is root' : 'owns the database of the hub'}. Name another user.`,
      )
    return user
  }

  /** Its own, where it has one; else one that we make for it, so that npm and its like have a place for what they fetch. */
  async #homeOf(name: string, { uid, gid, home }: NamedUser): Promise<string> {
    const own = home === null ? null : await stat(home).catch(() => null)
    if (home !== null && own?.uid === uid) return home
    const made = join(`${this.#options.stateHome}-homes`, name)
    await mkdir(made, { recursive: true, mode: 0o711 })
    await chown(made, uid, gid)
    return made
  }

  #describeProcess(isolation: Exclude<Isolation, { type: 'container' }>): IsolationView {
    const user = isolation.type === 'process' ? isolation.user : undefined
    const hiding = isolation.type === 'process' ? this.#hiding : ({ way: null, why: 'isolation is none' } as const)
    const clean = ['the environment of the hub, but for names such as PATH, HOME and LANG', 'what the hub has open']
    const state = 'the state of the hub: operator token, master key, database'
    return {
      isolated: [...clean, ...(hiding.way === null ? [] : [state]), ...(user === undefined ? [] : [`runs as ${user}`])],
      open: [
        ...(hiding.way === null ? [`${state} (not hidden: ${hiding.why})`] : []),
        `the files of ${user ?? 'the user that the hub runs as'}`,
        'the network',
        'memory and processors of the machine',
      ],
    }
  }
}

/** The command as it is, in a clean environment. */
export function plainLaunch({ command, args, env, workingDir }: Program): Launch {
  return { command, args, env: serverEnvironment(env), cwd: workingDir }
}

/** Nothing leads it to the files of the user that the hub runs as. */
function asOther({ command, args, env, workingDir }: Program, name: string, home: string): Launch {
  const inherited = Object.entries(serverEnvironment({})).filter(([variable]) => !/^(XDG_|npm_config_)/i.test(variable))
  const own = { HOME: home, USER: name, LOGNAME: name, ...env }
  return { command, args, env: { ...Object.fromEntries(inherited), ...own }, cwd: workingDir }
}

async function findCommand({ command, env, workingDir }: Program): Promise<string | null> {
  const path = env['PATH'] ?? process.env['PATH'] ?? ''
  const candidates = isPath(command)
    ? [place({ command, workingDir })]
    : path.split(delimiter).map((folder) => resolve(workingDir, folder, command))
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate
  return null
}

function isPath(command: string): boolean {
  return command.includes('/')
}

function place({ command, workingDir }: Pick<Program, 'command' | 'workingDir'>): string {
  return resolve(workingDir, command)
}

/** What would have a say over the programs that hide the state, before they have done so. */
const steering = /^(LD_|GLIBC_|GCONV_|LOCPATH$|NLSPATH$|LIBMOUNT_|BASH|ENV$|SHELLOPTS$|PS4$|IFS$|CDPATH$)/

/** The lines of a shell that set those variables at last, and the environment without them. */
function deferSteering(environment: NodeJS.ProcessEnv): [lines: string[], environment: NodeJS.ProcessEnv] {
  const entries = Object.entries(environment)
  const lines = entries.flatMap(([name, value = '']) =>
    steering.test(name) && /^\w+$/.test(name) ? [`export ${name}='${value.replaceAll("'", `'\\''`)}'`] : [],
  )
  return [lines, Object.fromEntries(entries.filter(([name]) => !steering.test(name)))]
}
