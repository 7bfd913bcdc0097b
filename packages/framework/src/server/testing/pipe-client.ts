import { PassThrough } from 'node:stream'
import type { Era } from '../../protocol/version.ts'
import type { Running } from '../../supervise/running.ts'
import { metaKeys } from '../../wire/meta.ts'
import type { Served } from '../served.ts'

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} }

/** `_meta` of a modern request. */
export const modernMeta = {
  [metaKeys.revision]: '2026-07-28',
  [metaKeys.clientInfo]: { name: 'test', version: '1.0.0' },
  [metaKeys.clientCapabilities]: capabilities,
}

/** A client on pipes that sends whatever it is told to, right or wrong, in either era. */
export class PipeClient implements AsyncDisposable {
  readonly heard: Message[] = []
  readonly #era: Era
  readonly #input = new PassThrough()
  readonly #waiting = new Set<() => void>()
  #running: Running | undefined
  #lastId = 0

  private constructor(era: Era) {
    this.#era = era
  }

  static async open(served: Served, era: Era, version = '2025-11-25'): Promise<PipeClient> {
    const client = new PipeClient(era)
    await client.#serve(served)
    if (era === 'legacy') {
      await client.request('initialize', {
        protocolVersion: version,
        capabilities,
        clientInfo: { name: 'test', version: '1.0.0' },
      })
    }
    return client
  }

  /** One that has not said anything yet. */
  static async silent(served: Served): Promise<PipeClient> {
    const client = new PipeClient('legacy')
    await client.#serve(served)
    return client
  }

  write(value: unknown): void {
    this.#input.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
  }

  request(method: string, params: Record<string, unknown> = {}, id: unknown = ++this.#lastId): Promise<Message> {
    const _meta = { ...(params['_meta'] as object), ...(this.#era === 'modern' && modernMeta) }
    this.write({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
    return this.until((message) => message.id === id && message.method === undefined)
  }

  call(name: string, args: Record<string, unknown> = {}, params: Record<string, unknown> = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args, ...params })
  }

  /** The first message that fits, also when it has come already. */
  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.heard.find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop()
  }

  async #serve(served: Served): Promise<void> {
    const output = new PassThrough({ encoding: 'utf8' })
    let rest = ''
    output.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      this.heard.push(...lines.map((line) => JSON.parse(line) as Message))
      for (const resolve of this.#waiting) resolve()
      this.#waiting.clear()
    })
    this.#running = await served.stdio({ input: this.#input, output })
  }
}

/** The text of a tool's result, or the message of the error. */
export function textOf({ result, error }: Message): string {
  const [block] = (result?.['content'] ?? []) as { text?: string }[]
  return block?.text ?? error?.message ?? ''
}
