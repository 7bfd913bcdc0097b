import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { LineReader } from '../wire/line-reader.ts'
import { CLIENT_INFO, MODERN_META, type RpcMessage } from '../wire/protocol.ts'
import type { Launch } from './launch.ts'

export type Params = Record<string, unknown>

const TIMEOUT_MS = 10_000
const running = new Set<ChildProcessByStdio<Writable, Readable, null>>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A stdio server that this process started, and everything that it says. */
export class StdioPeer {
  readonly processId: number
  /** Gets what answers no request of ours: notifications, requests of the server, batches. */
  onMessage: (message: RpcMessage | RpcMessage[]) => void = () => {}
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, (message: RpcMessage) => void>()
  readonly #exited: Promise<void>
  #lastId = 0

  constructor({ args, env }: Launch, cwd: string) {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#child = child
    this.processId = child.pid ?? -1
    running.add(child)
    const reader = new LineReader((line) => this.#receive(line))
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk))
    // A write after the exit; requests that wait for an answer say so themselves.
    child.stdin.on('error', () => {})
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()))
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message))
  }

  /** Sends a line as it is. */
  sendText(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  request(method: string, params: Params, id: number = ++this.#lastId): Promise<RpcMessage> {
    const answer = new Promise<RpcMessage>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`${method} got no answer within ${TIMEOUT_MS} ms`))
      }, TIMEOUT_MS)
      this.#waiting.set(id, (message) => {
        clearTimeout(timer)
        resolve(message)
      })
    })
    this.send({ jsonrpc: '2.0', id, method, params })
    return answer
  }

  /** A request of a modern client, which says everything with each request. */
  requestModern(method: string, params: Params): Promise<RpcMessage> {
    return this.request(method, { ...params, _meta: MODERN_META })
  }

  /** Opens as a legacy client; answers with the revision that the server chose. */
  async initialize(protocolVersion: string, capabilities: object = {}): Promise<string> {
    const answer = await this.request('initialize', { protocolVersion, capabilities, clientInfo: CLIENT_INFO })
    if (!answer.result) throw new Error(`initialize was refused: ${JSON.stringify(answer.error)}`)
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return String(answer.result.protocolVersion)
  }

  async stop(): Promise<void> {
    running.delete(this.#child)
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#exited
  }

  #receive(line: Buffer): void {
    let message: RpcMessage | RpcMessage[]
    try {
      message = JSON.parse(line.toString()) as RpcMessage | RpcMessage[]
    } catch {
      // Some print a greeting to standard output, which is theirs to answer for and no message.
      return
    }
    const waiting = Array.isArray(message) || message.method ? undefined : this.#waiting.get(Number(message.id))
    if (!waiting || Array.isArray(message)) return this.onMessage(message)
    this.#waiting.delete(Number(message.id))
    waiting(message)
  }
}
