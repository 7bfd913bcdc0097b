import { chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  describeContainer,
  HubError,
  type Connector,
  type ContainerIsolation,
  type Isolation,
  type IsolationView,
} from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import { Containers } from './container/containers.ts'
import { findUser, type NamedUser } from './find-user.ts'
import { serverEnvironment, type Launch, type Program } from './launch.ts'

export interface IsolatorOptions {
  readonly stateHome: string
  readonly hiddenState: HiddenState
  readonly log: Log
}

/** Decides how the process of a stdio server is started, so that it touches no more than its connector says. */
export class Isolator {
  readonly #options: IsolatorOptions
  readonly #containers: Containers

  constructor(options: IsolatorOptions) {
    this.#options = options
    this.#containers = new Containers(options.stateHome, options.log)
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
    const { hiddenState } = this.#options
    if (hiddenState.whyNot !== null) return { ...launch, ...(as !== undefined && { uid: as.uid, gid: as.gid }) }
    const refuse = (problem: string) =>
      new HubError(
        'CONNECTOR_INVALID',
        `'${program.name}' ${problem}. Choose another place, or show it all of the state: herma edit ${program.name} --isolation none`,
      )
    return await hiddenState.launch({ ...launch, workingDir: launch.cwd, as, refuse })
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
    const whyNot = isolation.type === 'process' ? this.#options.hiddenState.whyNot : 'isolation is none'
    const clean = ['the environment of the hub, but for names such as PATH, HOME and LANG', 'what the hub has open']
    const state = 'the state of the hub: operator token, master key, database'
    return {
      isolated: [...clean, ...(whyNot === null ? [state] : []), ...(user === undefined ? [] : [`runs as ${user}`])],
      open: [
        ...(whyNot === null ? [] : [`${state} (not hidden: ${whyNot})`]),
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
