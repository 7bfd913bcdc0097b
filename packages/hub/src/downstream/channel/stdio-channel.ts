import { existsSync } from 'node:fs'
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { HubError } from '@herma/contract'
import type { BufferBudget } from '@herma/framework/wire'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Log } from '../../platform/log.ts'
import { killTree } from '../../platform/process/process-tree.ts'
import type { Channel, ChannelEvents } from './channel.ts'
import { LineReader, type LongLine } from '@herma/framework/wire'
import { startAllowance, type LinkSettings } from '../link/link-settings.ts'
import { runsPackage } from './package-runner.ts'
import { plainLaunch, type Isolator } from '../isolation/isolator.ts'
import type { Launch } from '../isolation/launch.ts'

/** What a server may leave unread on its standard input before further calls are refused. */
const maxUnreadBytes = 16 * 1024 * 1024
/** What a server may print between two messages before it is taken for something else than an MCP server. */
const maxGarbageBytes = 4 * 1024 * 1024
/** What a message may have that is left out because it is too long; beyond it a server is taken to write without end. */
const maxLineBytes = 1024 * 1024 * 1024
/** How long a server has to leave by itself once its standard input is closed. */
const leaveMs = 2000

export interface StdioEnvironment {
  readonly watchdog: ProcessWatchdog
  readonly log: Log
  readonly buffers: BufferBudget
  onStderr(line: string): void
  /** Absent where nothing is isolated, as in tests. */
  readonly isolator?: Isolator | undefined
  /** Aborted when installs that go on must end, because the hub does. */
  readonly installsEnd?: AbortSignal | undefined
}

/** A server as a child process in a group of its own, so that everything it starts can be ended with it. */
export class StdioChannel implements Channel {
  readonly #settings: LinkSettings
  readonly #events: ChannelEvents
  readonly #environment: StdioEnvironment
  #child: ChildProcessWithoutNullStreams | null = null
  #launch: Launch | null = null
  #garbageBytes = 0
  #isClosing = false
  #hasEnded = false
  readonly #startedAt = performance.now()
  /** Resolves with the first message: whatever was installed is there by now. */
  readonly #spoken: Promise<void>
  #speak!: () => void
  #hasSpoken = false

  constructor(settings: LinkSettings, events: ChannelEvents, environment: StdioEnvironment) {
    this.#settings = settings
    this.#events = events
    this.#environment = environment
    this.#spoken = new Promise((resolve) => {
      this.#speak = resolve
    })
  }

  get processId(): number | null {
    return this.#child?.pid ?? null
  }

  async open(): Promise<void> {
    const { name, options } = this.#settings
    const launch = (await this.#environment.isolator?.launch(this.#settings)) ?? plainLaunch(this.#settings)
    if (this.#isClosing) throw new HubError('DOWNSTREAM_UNAVAILABLE', `'${name}' is stopped.`)
    const { command, args, env, cwd, uid, gid } = launch
    this.#launch = launch
    // What hides the state of the hub stands before it; only an engine stands in its place.
    const shown = this.#settings.isolation.type === 'container' ? command : this.#settings.command
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
    const user = uid === undefined || gid === undefined ? {} : { uid, gid }
    const child = spawn(command, [...args], { cwd, env, stdio, detached: true, ...user })
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error: NodeJS.ErrnoException) => reject(startError(name, shown, cwd, error)))
    })
    this.#environment.watchdog.watch(child.pid!)
    const stdout = new LineReader((line) => this.#onLine(line), options.maxMessageBytes, {
      onGrow: (line) => this.#onLongLine(line),
      onEnd: (line) => (isMessage(line.head) ? this.#events.onTooLong?.(line) : this.#onGarbage(line.head)),
    })
    const stderr = new LineReader((line) => this.#environment.onStderr(line.toString('utf8')), 65_536, 'cut')
    child.stdout.on('data', (chunk: Buffer) => {
      this.#guard(() => stdout.push(chunk))
      this.#pauseWhileFull(child)
    })
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    // A pipe that breaks is told by the exit of the process, which says more.
    child.stdin.on('error', (error) => this.#events.onRemark(`standard input: ${error.message}`))
    child.once('exit', (code, signal) => this.#onExit(code, signal))
  }

  write(message: string): HubError | null {
    const stdin = this.#child?.stdin
    if (stdin === undefined || !stdin.writable) {
      return new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#settings.name}' is not running.`)
    }
    if (stdin.writableLength > maxUnreadBytes) {
      return new HubError(
        'OVERLOADED',
        `'${this.#settings.name}' does not read its input: ${stdin.writableLength} bytes wait.`,
      )
    }
    // What is written in one turn of the event loop, as for many clients at once, leaves in one write.
    if (stdin.writableCorked === 0) {
      stdin.cork()
      setImmediate(() => stdin.uncork())
    }
    stdin.write(`${message}\n`)
    return null
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#end()
  }

  #onLine(line: Buffer): void {
    if (!this.#hasSpoken && isMessage(line)) {
      this.#hasSpoken = true
      this.#speak()
    }
    if (isMessage(line) && this.#events.onMessage(line)) this.#garbageBytes = 0
    else this.#onGarbage(line)
  }

  /** Clients do not take what they were answered, so that the server has to wait with more. */
  #pauseWhileFull({ stdout }: ChildProcessWithoutNullStreams): void {
    const { buffers } = this.#environment
    if (!buffers.isFull || this.#hasEnded || stdout.destroyed) return
    stdout.pause()
    buffers.waitForRoom(this, () => stdout.resume())
  }

  /** Blank lines and banners are common; only what does not end is a fault. */
  #onGarbage(line: Buffer): void {
    if (line.length > 0 && !isMessage(line)) {
      // Longer than what is kept of it, so that no secret is cut in half before it is masked.
      this.#events.onRemark(`wrote to standard output what is not a message: ${line.toString('utf8', 0, 8192)}`)
    }
    this.#garbageBytes += line.length + 1
    if (this.#garbageBytes > maxGarbageBytes) {
      throw new HubError(
        'DOWNSTREAM_FAILED',
        `it wrote more than ${maxGarbageBytes} bytes that are no messages to standard output`,
      )
    }
  }

  /** A message may be too long and is then left out; what does not end, or is none, is a fault. */
  #onLongLine({ head, size }: Omit<LongLine, 'tail'>): void {
    const limit = isMessage(head) ? maxLineBytes : Math.max(maxGarbageBytes, this.#settings.options.maxMessageBytes)
    if (size <= limit) return
    const what = isMessage(head) ? 'a message' : 'a line that is no message'
    throw new HubError('ANSWER_TOO_LARGE', `it wrote ${what} of more than ${limit} bytes to standard output`)
  }

  #guard(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#fail(
        error instanceof HubError
          ? error
          : new HubError('DOWNSTREAM_FAILED', (error as Error).message, { cause: error }),
      )
    }
  }

  #fail(cause: HubError): void {
    if (this.#hasEnded || this.#isClosing) return
    this.#hasEnded = true
    // A closed pipe ends most of those that flood it; to read on would only cost time.
    this.#child?.stdout.destroy()
    this.#events.onEnd(new HubError(cause.code, `'${this.#settings.name}' was stopped: ${cause.message}`, { cause }))
    void this.#end()
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    void this.#end()
    if (this.#hasEnded || this.#isClosing) return
    this.#hasEnded = true
    const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`
    this.#events.onEnd(
      new HubError('DOWNSTREAM_FAILED', `'${this.#settings.name}' ${how}. See: herma logs ${this.#settings.name}`),
    )
  }

  /**
   * An install that is killed leaves a broken cache, with which the server never starts again. So it may go on until the
   * server says something or leaves, because its input is closed, for what is left of its time.
   */
  async #finishInstall(exited: Promise<void>): Promise<void> {
    const { installsEnd } = this.#environment
    const { options } = this.#settings
    if (
      this.#hasSpoken ||
      !runsPackage(this.#settings) ||
      this.#settings.isolation.type === 'container' ||
      installsEnd?.aborted === true
    )
      return
    const leftMs = startAllowance(this.#settings) - (performance.now() - this.#startedAt)
    const limitMs = installsEnd === undefined ? Math.min(leftMs, installGraceMs) : leftMs
    if (limitMs <= 0 || options.installTimeoutMs === 0) return
    const over = new AbortController()
    const { signal } = over
    const ended = new Promise((resolve) => installsEnd?.addEventListener('abort', resolve, { once: true, signal }))
    await Promise.race([exited, this.#spoken, ended, delay(limitMs)])
    over.abort()
  }

  // Closing the input is the polite request; whatever is left of the tree afterwards is ended.
  async #end(): Promise<void> {
    this.#environment.buffers.stopWaiting(this)
    const child = this.#child
    if (child?.pid === undefined) return
    const pid = child.pid
    const leave = async () => {
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.stdin.end()
      await this.#finishInstall(exited)
      await Promise.race([exited, delay(leaveMs)])
    }
    const isRunning = child.exitCode === null && child.signalCode === null
    await killTree(pid, { graceMs: leaveMs, log: this.#environment.log, ...(isRunning && { leave }) })
    await this.#launch?.end?.()
    this.#environment.watchdog.release(pid)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Where nothing tells of the end of the hub, an install that nobody waits for has so long. */
const installGraceMs = 20_000

/** An object, or the array of objects that 2025-03-26 allows; banners such as `[info]` are neither. */
function isMessage(line: Buffer): boolean {
  return line[0] === 0x7b || (line[0] === 0x5b && line[1] === 0x7b)
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

function startError(name: string, command: string, workingDir: string, error: NodeJS.ErrnoException): HubError {
  const reasons: Record<string, string> = {
    ENOENT: existsSync(workingDir)
      ? `there is no program '${command}' here. Install it, or give its whole path; look with: which ${command}`
      : `its working directory ${workingDir} does not exist. Create it, or choose another`,
    EACCES: `'${command}' may not be executed`,
    ENOTDIR: `${workingDir} is not a folder`,
    EAGAIN: 'the system has no room for another process',
  }
  const reason = reasons[error.code ?? ''] ?? error.message
  return new HubError('DOWNSTREAM_UNAVAILABLE', `'${name}' did not start: ${reason}.`, { cause: error })
}
