import type {
  Client,
  ClientCapabilities,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  Result,
} from '@modelcontextprotocol/client'
import type { Kind } from '../component/define.ts'
import { McpError } from '../protocol/errors.ts'
import { eraOf, type Era, type Version } from '../protocol/version.ts'
import { isObject, metaKeys } from '../wire/meta.ts'
import type { Answers } from './answers.ts'
import type { ServerInspector } from './server-inspector.ts'
import type { Link } from './link.ts'
import type { Records } from './records.ts'
import type { Called, CallOptions, CompletionOf, Notified, TestClient } from './test-client.ts'

export interface SessionOptions {
  readonly client: Client
  readonly link: Link
  readonly records: Records
  readonly answers: Answers
  readonly inspector: ServerInspector
  readonly version: Version
  readonly timeoutMs: number
  readonly capabilities: ClientCapabilities
}

/** The client of one test. Its types are those of `TestClient`. */
export class Session implements TestClient {
  readonly client: Client
  readonly version: Version
  readonly era: Era
  readonly log: TestClient['log']
  readonly progress: TestClient['progress']
  readonly notifications: TestClient['notifications']
  readonly questions: TestClient['questions']
  readonly #options: SessionOptions
  #requests = 0
  #isClosed = false

  constructor(options: SessionOptions) {
    this.#options = options
    this.client = options.client
    this.version = options.version
    this.era = eraOf(options.version)
    this.log = options.records.log
    this.progress = options.records.progress
    this.notifications = options.records.notifications
    this.questions = options.answers.questions
  }

  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called<unknown>> {
    return this.callAny(name, args, options)
  }

  async callAny(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<Called<unknown>> {
    const params = { name, arguments: args, ...this.#meta() }
    const raw = await this.#watched(() => this.client.callTool(params, { ...this.#requestOptions(), ...options }))
    return {
      value: await this.#options.inspector.unwrap(name, raw.structuredContent),
      text: textOf(raw.content),
      content: raw.content,
      isError: raw.isError === true,
      raw,
    }
  }

  async read(uri: string): Promise<{ text: string; raw: ReadResourceResult }> {
    const options = { ...this.#requestOptions(), cacheMode: 'bypass' as const }
    const raw = await this.#watched(() => this.client.readResource({ uri, ...this.#meta() }, options))
    return { text: raw.contents.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'), raw }
  }

  async prompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
  ): Promise<{ text: string; raw: GetPromptResult }> {
    const params = { name, arguments: args, ...this.#meta() }
    const raw = await this.#watched(() => this.client.getPrompt(params, this.#requestOptions()))
    return { text: textOf(raw.messages.map(({ content }) => content)), raw }
  }

  async complete(
    of: CompletionOf,
    argument: string,
    value: string,
    others?: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const ref =
      'prompt' in of
        ? { type: 'ref/prompt' as const, name: of.prompt }
        : { type: 'ref/resource' as const, uri: of.template }
    const context = others === undefined ? {} : { context: { arguments: others } }
    const { completion } = await this.client.complete(
      { ref, argument: { name: argument, value }, ...context },
      this.#requestOptions(),
    )
    return completion.values
  }

  async list(kind: Kind): Promise<readonly string[]> {
    const options = { ...this.#requestOptions(), cacheMode: 'refresh' as const }
    const { client } = this
    switch (kind) {
      case 'tool':
        return (await client.listTools(undefined, options)).tools.map(({ name }) => name)
      case 'prompt':
        return (await client.listPrompts(undefined, options)).prompts.map(({ name }) => name)
      case 'resource':
        return (await client.listResources(undefined, options)).resources.map(({ uri }) => uri)
      case 'template': {
        const { resourceTemplates } = await client.listResourceTemplates(undefined, options)
        return resourceTemplates.map(({ uriTemplate }) => uriTemplate)
      }
    }
  }

  async request(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    const given = isObject(params['_meta']) ? params['_meta'] : {}
    const _meta = { ...this.#envelope(), ...given }
    const whole = { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) }
    const answer = await this.raw({ jsonrpc: '2.0', id: `request:${++this.#requests}`, method, params: whole })
    const { result, error } = (answer ?? {}) as {
      result?: Result
      error?: { code: number; message: string; data?: unknown }
    }
    if (error !== undefined) throw new McpError(error.code, error.message, error.data)
    if (result === undefined)
      throw new Error(`${method} was answered with ${JSON.stringify(answer)}, which is no result.`)
    return result
  }

  raw(message: unknown): Promise<unknown> {
    return this.#watched(() => this.#options.link.exchange(message))
  }

  async watch(uri: string): Promise<void> {
    if (this.era === 'legacy') await this.client.subscribeResource({ uri }, this.#requestOptions())
    else await this.client.listen({ resourceSubscriptions: [uri] }, this.#requestOptions())
  }

  heard(method: string): Promise<Notified> {
    return this.#options.records.heard(method, this.#options.timeoutMs)
  }

  state(): Promise<unknown> {
    return this.#options.inspector.state()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { client, link, answers } = this.#options
    await client.close()
    await link.close()
    answers.check()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** A question that nobody answered is the reason to tell, whatever became of the request that led to it. */
  async #watched<Value>(run: () => Promise<Value>): Promise<Value> {
    try {
      return await run()
    } finally {
      this.#options.answers.check()
    }
  }

  /** With a callback the client asks for progress; what comes is kept by the records. */
  #requestOptions() {
    return { timeout: this.#options.timeoutMs, onprogress: () => {} }
  }

  /** A modern server logs only for requests that ask for it. */
  #meta(): { _meta?: Record<string, unknown> } {
    return this.era === 'modern' ? { _meta: { [metaKeys.logLevel]: 'debug' } } : {}
  }

  #envelope(): Record<string, unknown> {
    if (this.era === 'legacy') return {}
    return {
      [metaKeys.revision]: this.version,
      [metaKeys.clientInfo]: { name: 'herma-test', version: '1.0.0' },
      [metaKeys.clientCapabilities]: this.#options.capabilities,
      [metaKeys.logLevel]: 'debug',
    }
  }
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
