import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { HubError, impliedImage, type ContainerIsolation } from '@herma/contract'
import { isInside } from '../../../platform/file/is-inside.ts'
import type { Log } from '../../../platform/log.ts'
import { clientVariables, containerArguments, homeLabel, newContainerName } from './container-arguments.ts'
import { ContainerEngines, engineEnvironment, runEngine, type ContainerEngine } from './container-engine.ts'
import { serverEnvironment, type Launch, type Program } from '../launch.ts'

const removeMs = 20_000

/** The containers that servers of this hub run in. They are told from others by a label with its state home. */
export class Containers {
  readonly #engines = new ContainerEngines()
  readonly #stateHome: string
  readonly #label: string
  readonly #log: Log
  #swept: Promise<void> | null = null

  constructor(stateHome: string, log: Log) {
    this.#stateHome = stateHome
    this.#log = log
    this.#label = createHash('sha256').update(stateHome).digest('hex').slice(0, 16)
  }

  /** Throws where no engine answers, or where the container could not be kept apart from the hub. */
  async launch(program: Program & { readonly isolation: ContainerIsolation }): Promise<Launch> {
    const engine = await this.#choose(program)
    // Before the first one of ours: afterwards nobody could tell it from one that was left behind.
    await this.removeLeftovers()
    const container = newContainerName(program.name)
    const args = this.#argumentsOf(program, container, engine)
    let ended: Promise<void> | null = null
    return {
      command: engine.command,
      args,
      env: { ...serverEnvironment(clientVariables(program.env)), ...engineEnvironment() },
      cwd: '/',
      end: () => (ended ??= this.#remove(engine, [container])),
    }
  }

  /** Where it would run; throws where it could not. */
  async resolve(program: Program & { readonly isolation: ContainerIsolation }): Promise<string> {
    const engine = await this.#choose(program)
    this.#argumentsOf(program, '', engine)
    return `runs in ${program.isolation.image ?? impliedImage(program.command) ?? ''} on ${engine.command}`
  }

  async #choose(program: Program & { readonly isolation: ContainerIsolation }): Promise<ContainerEngine> {
    await this.#checkMounts(program)
    return await this.#engines.choose(program.name, program.isolation.engine)
  }

  #argumentsOf(
    program: Program & { readonly isolation: ContainerIsolation },
    container: string,
    engine: ContainerEngine,
  ) {
    const user = process.getuid === undefined ? null : { uid: process.getuid(), gid: process.getgid!() }
    return containerArguments(program, container, { engine, user, label: this.#label })
  }

  /** Removes what a hub that was killed has left, once. */
  removeLeftovers(): Promise<void> {
    return (this.#swept ??= this.#sweep())
  }

  async #sweep(): Promise<void> {
    for (const engine of await this.#engines.all()) {
      const filter = `label=${homeLabel}=${this.#label}`
      const { output } = await runEngine(engine.command, ['ps', '--all', '--quiet', '--filter', filter], removeMs)
      const left = output.split('\n').filter((id) => /^[0-9a-f]{6,}$/.test(id))
      if (left.length === 0) continue
      this.#log.warn('containers that were left behind are removed', { count: left.length })
      await this.#remove(engine, left)
    }
  }

  /** One that removed itself already is what is wanted. */
  async #remove({ command }: ContainerEngine, names: readonly string[]): Promise<void> {
    const { problem } = await runEngine(command, ['rm', '--force', ...names], removeMs)
    if (problem !== null && !/no such container|no container with/i.test(problem))
      this.#log.error('a container was not removed', { names: names.join(' '), problem })
  }

  /** A folder that leads to the state of the hub, or to the engine itself, would take the walls down again. */
  async #checkMounts({ name, isolation }: Program & { readonly isolation: ContainerIsolation }): Promise<void> {
    const stateHome = await realpath(this.#stateHome).catch(() => this.#stateHome)
    for (const { source } of isolation.mounts) {
      const real = await realpath(source).catch(() => null)
      if (real === null)
        throw new HubError(
          'CONNECTOR_INVALID',
          `'${name}' mounts ${source}, which does not exist. Create it, or take the mount out.`,
        )
      const isState = isInside(real, stateHome) || isInside(stateHome, real)
      const isEngine = /(^|\/)(docker|podman|containerd)\.sock$/.test(real) || closedFolders.includes(real)
      if (!isState && !isEngine) continue
      const why = isState ? 'holds the state of the hub' : 'leads out of every container'
      throw new HubError('CONNECTOR_INVALID', `'${name}' mounts ${source}, which ${why}. Mount a folder that does not.`)
    }
  }
}

const closedFolders = ['/', '/proc', '/sys', '/dev', '/run', '/var/run']
