import * as modern from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { isModern, type Revision } from '../revision.ts'
import { AnsweredError, metaKeys, type Json, type Question, type WireMessage } from '../wire-message.ts'
import { Inbox } from './inbox.ts'
import type { Answerer, Interest, RawClient, RequestOptions } from './matrix-client.ts'
import type { Endpoint } from './open-client.ts'

export type Sdk = 'v1' | 'v2'

interface SdkOptions {
  readonly sdk: Sdk
  readonly endpoint: Endpoint
  readonly revision: Revision
  readonly name: string
  readonly capabilities: Json
}

/** A client of an official SDK, so that the promise does not rest on our own clients alone. */
export async function openSdkClient(options: SdkOptions): Promise<RawClient> {
  const client = new SdkClient(options)
  await client.connect()
  return client
}

class SdkClient implements RawClient {
  readonly name: string
  readonly revision: Revision
  readonly transport = 'http'
  readonly inbox = new Inbox()
  readonly questions: Question[] = []
  capabilities: Json = {}
  readonly #options: SdkOptions
  readonly #client: Client | modern.Client
  #answerer: Answerer = () => ({})
  #logLevel: string | null = null

  constructor(options: SdkOptions) {
    this.#options = options
    this.name = options.name
    this.revision = options.revision
    this.#client = options.sdk === 'v1' ? this.#createV1() : this.#createV2()
    const hear = (notification: { method: string; params?: Json }) => {
      this.inbox.push({ jsonrpc: '2.0', ...notification })
      return Promise.resolve()
    }
    this.#client.fallbackNotificationHandler = hear
  }

  async connect(): Promise<void> {
    const { endpoint } = this.#options
    if (endpoint.transport !== 'http') throw new Error(`The SDK clients are not run over ${endpoint.transport}.`)
    const url = new URL(endpoint.url)
    if (this.#client instanceof Client) await this.#client.connect(new StreamableHTTPClientTransport(url))
    else await this.#client.connect(new modern.StreamableHTTPClientTransport(url))
    this.capabilities = this.#client.getServerCapabilities() ?? {}
  }

  answerWith(answerer: Answerer): void {
    this.#answerer = answerer
  }

  forget(): void {
    this.inbox.clear()
    this.questions.length = 0
  }

  async request(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Json> {
    const { progressToken, meta, signal } = options
    const _meta = { ...meta, ...(this.#logLevel !== null && { [metaKeys.logLevel]: this.#logLevel }) }
    // The SDKs choose their tokens themselves.
    const onprogress = (progress: Json) => {
      this.inbox.push({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...progress } })
    }
    const own = { ...(signal && { signal }), ...(progressToken !== undefined && { onprogress }) }
    const request = { method, params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) } }
    try {
      if (this.#client instanceof Client) return await this.#client.request(request, ResultSchema, own)
      if (method === 'tools/call') return await this.#client.callTool(request.params as { name: string }, own)
      return await this.#client.request(request as { method: 'ping' }, own)
    } catch (error) {
      throw toAnswered(error)
    }
  }

  async setLogLevel(level: string): Promise<void> {
    if (isModern(this.revision)) this.#logLevel = level
    else await this.request('logging/setLevel', { level })
  }

  async watch({ lists = false, uris = [] }: Interest): Promise<() => Promise<void>> {
    if (isModern(this.revision)) {
      const subscription = await (this.#client as modern.Client).listen({
        ...(lists && { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
        ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
      })
      return () => subscription.close()
    }
    for (const uri of uris) await this.request('resources/subscribe', { uri })
    return async () => {
      for (const uri of uris) await this.request('resources/unsubscribe', { uri })
    }
  }

  sendBatch(): Promise<readonly WireMessage[]> {
    return Promise.reject(new Error('The SDKs send no batches.'))
  }

  requestOnce(): Promise<Json> {
    return Promise.reject(new Error('The SDKs answer questions themselves.'))
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  #createV1(): Client {
    const { name, capabilities } = this.#options
    const client = new Client({ name, version: '1.0.0' }, { capabilities })
    const answer = (request: { method: string; params?: unknown }) => this.#answer(request)
    if ('sampling' in capabilities) client.setRequestHandler(CreateMessageRequestSchema, answer)
    if ('elicitation' in capabilities) client.setRequestHandler(ElicitRequestSchema, answer)
    if ('roots' in capabilities) client.setRequestHandler(ListRootsRequestSchema, answer)
    return client
  }

  #createV2(): modern.Client {
    const { name, capabilities, revision } = this.#options
    const mode = isModern(revision) ? 'auto' : 'legacy'
    const client = new modern.Client({ name, version: '1.0.0' }, { capabilities, versionNegotiation: { mode } })
    const answer = (request: { method: string; params?: unknown }) => this.#answer(request)
    if ('sampling' in capabilities) client.setRequestHandler('sampling/createMessage', answer as never)
    if ('elicitation' in capabilities) client.setRequestHandler('elicitation/create', answer as never)
    if ('roots' in capabilities) client.setRequestHandler('roots/list', answer as never)
    return client
  }

  async #answer({ method, params }: { method: string; params?: unknown }): Promise<Json> {
    const question = { method, params: (params ?? {}) as Json }
    this.questions.push(question)
    return this.#answerer(question)
  }
}

/** The SDKs put the code in front of the message. */
function toAnswered(error: unknown): unknown {
  if (!(error instanceof McpError) && !(error instanceof modern.ProtocolError)) return error
  const { code, data } = error as { code: number; data?: unknown }
  return new AnsweredError({ code, message: error.message.replace(/^MCP error -?\d+: /, ''), data })
}
