import { spawn, type ChildProcess } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import { readMessage } from '../../protocol/message.ts'
import { isBlank, LineReader } from '../../wire/line-reader.ts'
import { isNestedTooDeep } from '../../wire/nesting.ts'
import type { RemoteCommand } from './remote-target.ts'

const maxLineBytes = 16 * 1024 * 1024
const patienceMs = 2000
const hasGroups = process.platform !== 'win32'

/**
 * Speaks with a child process. Unlike the SDK's transport it ends the whole group of processes, because a command such
 * as npx starts others that would live on, and it is closed only when the child has exited.
 */
export class ChildTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  /** The SDK knows a transport of standard streams by this field and by `pid`. */
  readonly stderr = null
  readonly #command: RemoteCommand
  #child: ChildProcess | undefined
  #exited: Promise<void> | undefined

  constructor(command: RemoteCommand) {
    this.#command = command
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#command
    const child = spawn(command, [...args], {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: hasGroups,
      windowsHide: true,
    })
    this.#child = child
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => this.#ended(code, signal, resolve))
      child.once('error', () => resolve())
    })
    const reader = new LineReader((line) => this.#receive(line), maxLineBytes, {
      onGrow: () => {},
      onEnd: () => this.onerror?.(new Error(`The child wrote a line of more than ${maxLineBytes} bytes.`)),
    })
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk))
    // A child that ends while it is written to is noticed by its exit.
    child.stdin.on('error', (error) => this.onerror?.(error))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    if (child.pid !== undefined) living.add(child.pid)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (stdin === null || stdin === undefined || !stdin.writable) throw new Error('The child process has ended.')
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await new Promise((resolve) => stdin.once('drain', resolve))
  }

  /** Asks the child to end, insists, and forces it. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || this.#exited === undefined) return
    child.stdin!.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await settlesWithin(this.#exited, patienceMs)) return
      kill(child.pid, signal)
    }
    await this.#exited
  }

  #receive(line: Buffer): void {
    if (isBlank(line)) return
    try {
      if (isNestedTooDeep(line)) throw new Error('a message is nested too deep')
      const read = readMessage(JSON.parse(line.toString('utf8')))
      if ('message' in read) this.onmessage?.(read.message)
    } catch (error) {
      // Some programs greet on standard output; that must not end the conversation.
      this.onerror?.(new Error(`The child wrote a line that is no message: ${(error as Error).message}`))
    }
  }

  #ended(code: number | null, signal: string | null, resolve: () => void): void {
    const child = this.#child
    // Whoever the child started goes with it.
    kill(child?.pid, 'SIGKILL')
    if (child?.pid !== undefined) living.delete(child.pid)
    child?.stdout?.destroy()
    this.#child = undefined
    if (code !== 0) this.onerror?.(new Error(`The child process ended with ${signal ?? `code ${code}`}.`))
    resolve()
    this.onclose?.()
  }
}

/** Children that must not outlive this process. */
const living = new Set<number>()
process.on('exit', () => {
  for (const pid of living) kill(pid, 'SIGKILL')
})

function kill(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, signal)
  } catch {
    // It is gone already.
  }
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
