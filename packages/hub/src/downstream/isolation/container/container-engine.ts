import { execFile } from 'node:child_process'
import { HubError } from '@herma/contract'

export type EngineName = 'docker' | 'podman'

export interface ContainerEngine {
  /** What is executed. */
  readonly command: EngineName
  /** What answers to it: `docker` may be Podman by another name. */
  readonly kind: EngineName
}

const engines: readonly EngineName[] = ['docker', 'podman']
const probeMs = 10_000
/** A person who just started an engine does not wait longer than this. */
const failureMs = 3000

interface Probe {
  readonly path: string
  readonly at: number
  readonly problem: string | null
  readonly kind: EngineName
}

/** Which engines answer here. What was found is remembered, and what was not only for a moment. */
export class ContainerEngines {
  readonly #probes = new Map<EngineName, Promise<Probe>>()

  /** Throws with the next step where there is none. */
  async choose(connector: string, wanted?: EngineName): Promise<ContainerEngine> {
    const problems: string[] = []
    for (const command of wanted === undefined ? engines : [wanted]) {
      const { problem, kind } = await this.#probe(command)
      if (problem === null) return { command, kind }
      problems.push(problem)
    }
    throw new HubError(
      'DOWNSTREAM_UNAVAILABLE',
      `'${connector}' is to run in a container, and no engine for it answers here: ${problems.join('; ')}. ` +
        'Install Docker (https://docs.docker.com/get-docker) or Podman (https://podman.io) and start it, ' +
        `or do without: herma edit ${connector} --isolation process`,
    )
  }

  /** Those that answer. */
  async all(): Promise<ContainerEngine[]> {
    const probes = await Promise.all(engines.map(async (command) => ({ command, probe: await this.#probe(command) })))
    return probes.flatMap(({ command, probe }) => (probe.problem === null ? [{ command, kind: probe.kind }] : []))
  }

  async #probe(command: EngineName): Promise<Probe> {
    const path = process.env['PATH'] ?? ''
    const known = await this.#probes.get(command)
    const isFresh = known !== undefined && (known.problem === null || Date.now() - known.at < failureMs)
    if (known !== undefined && isFresh && known.path === path) return known
    const probe = probeEngine(command, path)
    this.#probes.set(command, probe)
    return probe
  }
}

/** `version` reaches for the engine with both; `docker version` fails where only the client is installed. */
async function probeEngine(command: EngineName, path: string): Promise<Probe> {
  const found = await runEngine(command, ['version'], probeMs)
  const kind = /podman/i.test(found.output) ? 'podman' : command
  return { path, at: Date.now(), kind, problem: found.problem === null ? null : `${command} ${found.problem}` }
}

/** What an engine's client needs of our environment beyond what every server gets. */
const clientNames =
  /^(DOCKER_|CONTAINER_HOST$|CONTAINER_SSHKEY$|CONTAINERS_|REGISTRY_AUTH_FILE$|DBUS_SESSION_BUS_ADDRESS$)/

export function engineEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && (clientNames.test(name) || /^(PATH|HOME|XDG_RUNTIME_DIR|TMPDIR)$/.test(name))
      ? [[name, value] as const]
      : [],
  )
  return Object.fromEntries(entries)
}

/** Runs a command of an engine that ends by itself; it never throws. */
export async function runEngine(
  command: EngineName,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ output: string; problem: string | null }> {
  return await new Promise((resolve) => {
    const options = { env: engineEnvironment(), timeout: timeoutMs, cwd: '/' }
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ output: stdout, problem: null })
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      const said = stderr.split('\n').find((line) => line.trim() !== '')
      resolve({
        output: stdout,
        problem: missing ? 'is not on the PATH of the hub' : `does not answer (${said?.trim() ?? error.message})`,
      })
    })
  })
}
