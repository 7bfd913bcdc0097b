import { open, realpath } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { isInside } from '../file/is-inside.ts'
import type { Log } from '../log.ts'
import { findHiding, isProgram, type Hiding, type Shown, type User } from './find-hiding.ts'

export interface HiddenStateOptions {
  readonly stateHome: string
  /** What else of the hub is nobody's business: the folder of the database's socket, a key file. */
  readonly alsoHidden: readonly string[]
  readonly log: Log
}

/** A program that the hub starts for somebody else. */
export interface ForeignProgram {
  readonly command: string
  readonly args: readonly string[]
  /** All of it: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv
  readonly workingDir: string
  /** Another user to become; only root can. */
  readonly as?: User | undefined
  /** Folders that it sees although they lie in the state home; others need not be named. */
  readonly shown?: readonly string[] | undefined
  /** Makes the error for a program that lies, or works, where it would see nothing. */
  refuse(problem: string): Error
}

/** What is started in its place. */
export interface HiddenLaunch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

/**
 * The state of the hub, out of sight of every program that the hub starts for others: servers of connectors, custom tools,
 * agent CLIs and tests. It is a fence for reading, not a prison
 * (docs/decisions/0031-what-a-connectors-process-may-touch.md).
 */
export class HiddenState {
  readonly #options: HiddenStateOptions
  #hiding: Hiding = { way: null, why: 'it was not looked for' }
  #realState: string

  constructor(options: HiddenStateOptions) {
    this.#options = options
    this.#realState = options.stateHome
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

  /** Why nothing is hidden here; null where it is. */
  get whyNot(): string | null {
    return this.#hiding.way === null ? this.#hiding.why : null
  }

  /** Where the machine has no way, the program as it is. */
  async launch(program: ForeignProgram): Promise<HiddenLaunch> {
    const { command, args, env, workingDir, as } = program
    if (this.#hiding.way === null) return { command, args, env, cwd: workingDir }
    const found = await findCommand(program)
    // What cannot be started is left to the system to complain of, in its own words, and must not be found after all.
    if (found === null)
      return { command: join('/', isPath(command) ? place(program) : nowhere), args, env, cwd: workingDir }
    if (!(await hasInterpreter(found))) return { command: nowhere, args, env, cwd: workingDir }
    const shown = await this.#shown(program.shown)
    const realDir = await realpath(workingDir).catch(() => workingDir)
    this.#requireSeen('works in', realDir, { shown, program })
    this.#requireSeen('runs', await realpath(found), { shown, program })
    const [deferred, own] = deferSteering(env)
    const inner =
      deferred.length === 0
        ? { command, args }
        : { command: '/bin/sh', args: ['-c', `${deferred.join('\n')}\nexec "$@"`, 'herma', command, ...args] }
    const [first = '', ...rest] = this.#hiding.wrap({ ...inner, workingDir: realDir, as, shown })
    return { command: first, args: rest, env: own, cwd: workingDir }
  }

  async #shown(wanted: readonly string[] = []): Promise<Shown | undefined> {
    const real = await Promise.all(wanted.map((path) => realpath(path).catch(() => null)))
    const within = this.#realState
    // The whole of it is never shown.
    const folders = real.filter((path) => path !== null && path !== within && isInside(within, path)) as string[]
    return folders.length === 0 ? undefined : { within, folders }
  }

  /** A folder in the state home would be empty to the program. */
  #requireSeen(does: string, path: string, { shown, program }: { shown?: Shown | undefined; program: ForeignProgram }) {
    if (!isInside(this.#realState, path) || shown?.folders.some((folder) => isInside(folder, path)) === true) return
    throw program.refuse(`${does} ${path}, which is in the state home and so hidden from it`)
  }
}

const nowhere = '/nowhere/program'

async function findCommand({ command, env, workingDir }: ForeignProgram): Promise<string | null> {
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

function place({ command, workingDir }: Pick<ForeignProgram, 'command' | 'workingDir'>): string {
  return resolve(workingDir, command)
}

/** Whether what the first line of a script names is there; the system would say so only once the state is hidden. */
async function hasInterpreter(path: string): Promise<boolean> {
  // A program may be for running only.
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return true
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(256), position: 0 })
    const interpreter = /^#![ \t]*(\/[^\s\0]+)/.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
    return interpreter === undefined || (await isProgram(Buffer.from(interpreter, 'latin1').toString('utf8')))
  } finally {
    await file.close()
  }
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
