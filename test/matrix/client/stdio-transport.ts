import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { WireMessage } from '../wire-message.ts'
import type { ClientTransport, TransportEvents } from './client-transport.ts'

export interface Command {
  readonly cmd: string
  readonly args: readonly string[]
  readonly env?: Record<string, string>
}

const maxStderr = 20

/** A server as a child process of the client. */
export class StdioTransport implements ClientTransport {
  readonly kind = 'stdio'
  readonly #command: Command
  #child: ChildProcessWithoutNullStreams | null = null
  #isClosing = false

  constructor(command: Command) {
    this.#command = command
  }

  async open(events: TransportEvents): Promise<void> {
    const { cmd, args, env } = this.#command
    const child = spawn(cmd, args, { env: { ...process.env, ...env } })
    this.#child = child
    const stderr: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (stderr.length < maxStderr) stderr.push(line)
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      try {
        events.onMessage(JSON.parse(line) as WireMessage)
      } catch {
        events.onFailure(null, new Error(`It wrote something else than JSON: ${line.slice(0, 200)}`))
      }
    })
    // Writing to a process that is gone is reported by its exit.
    child.stdin.on('error', () => {})
    child.on('error', (error) => events.onFailure(null, error))
    child.on('close', (code) => {
      if (!this.#isClosing) events.onFailure(null, new Error(`The process ended with ${code}: ${stderr.join(' | ')}`))
    })
  }

  async send(message: WireMessage | readonly WireMessage[]): Promise<void> {
    this.#child!.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Ends its input first, as the specification asks, and is not polite for ever. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === null || this.#isClosing) return
    this.#isClosing = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await closed
    clearTimeout(timer)
  }
}
