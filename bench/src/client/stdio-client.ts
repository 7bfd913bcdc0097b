import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { LineReader } from '../wire/line-reader.ts'
import { CLIENT_INFO, LEGACY_REVISION, MODERN_META } from '../wire/protocol.ts'
import { requestResult, type McpClient, type Reply } from './mcp-client.ts'
import { PendingReplies } from './pending-replies.ts'

/** A client that starts a stdio server itself: the shortest way to one, hence the `direct` figure. */
export class StdioClient implements McpClient {
  readonly canShare = true
  readonly #endpoint: { command: string; args: string[] }
  readonly #era: 'legacy' | 'modern'
  readonly #pending: PendingReplies
  #process: ChildProcessByStdio<Writable, Readable, null> | undefined
  #lastId = 0

  constructor(endpoint: { command: string; args: string[] }, era: 'legacy' | 'modern', timeoutMs: number) {
    this.#endpoint = endpoint
    this.#era = era
    this.#pending = new PendingReplies(timeoutMs)
  }

  async open(): Promise<void> {
    const server = spawn(this.#endpoint.command, this.#endpoint.args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const reader = new LineReader((line) => this.#pending.receive(line))
    server.stdout.on('data', (chunk: Buffer) => reader.push(chunk))
    server.on('error', (error) => this.#pending.end(error))
    server.on('exit', (code) => this.#pending.end(new Error(`the stdio server exited with ${code}`)))
    // A write after the exit; the exit itself is reported above.
    server.stdin.on('error', () => {})
    this.#process = server
    if (this.#era === 'modern') return
    const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT_INFO }
    await requestResult(this, 'initialize', params)
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  request(method: string, params: Record<string, unknown>): Promise<Reply> {
    const id = ++this.#lastId
    const reply = this.#pending.wait(id)
    this.#write({
      jsonrpc: '2.0',
      id,
      method,
      params: this.#era === 'modern' ? { ...params, _meta: MODERN_META } : params,
    })
    return reply
  }

  async close(): Promise<void> {
    const server = this.#process
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = new Promise((resolve) => server.once('exit', resolve))
    server.kill()
    await exited
  }

  #write(message: object): void {
    this.#process?.stdin.write(`${JSON.stringify(message)}\n`)
  }
}
