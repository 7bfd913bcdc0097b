import { encodeHeaderValue } from '../../../packages/hub/src/wire/index.ts'
import { modernRevision } from '../revision.ts'
import { isObject, metaKeys, metaOf, type Json, type Question, type WireMessage } from '../wire-message.ts'
import type { Interest, RequestOptions } from './matrix-client.ts'
import { WireClient } from './wire-client.ts'

const maxRounds = 10

/** A client of 2026-07-28: every request stands alone, and questions come as results. */
export class ModernClient extends WireClient {
  protected override readonly batchHeaders = { 'mcp-protocol-version': modernRevision }
  #lastId = 0
  #logLevel: string | null = null

  async connect(): Promise<void> {
    await this.open()
    const found = await this.requestOnce('server/discover')
    if (!Array.isArray(found['supportedVersions']) || !found['supportedVersions'].includes(modernRevision)) {
      throw new Error(`server/discover named ${JSON.stringify(found['supportedVersions'])}.`)
    }
    this.capabilities = isObject(found['capabilities']) ? found['capabilities'] : {}
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
  async request(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Json> {
    let retry: Json = {}
    for (let round = 0; round < maxRounds; round++) {
      const result = await this.requestOnce(method, { ...params, ...retry }, options)
      if (result['resultType'] === 'complete') return result
      const inputRequests = (result['inputRequests'] ?? {}) as Record<string, Question>
      const inputResponses: Record<string, Json> = {}
      for (const [key, question] of Object.entries(inputRequests)) {
        inputResponses[key] = await this.answer({ method: question.method, params: question.params ?? {} })
      }
      const { requestState } = result
      retry = { inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    throw new Error(`${method} asked ${maxRounds} times.`)
  }

  async requestOnce(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Json> {
    const message = this.#message(method, params, options)
    const result = await this.roundTrip(message, this.#headers(message, options), options.signal)
    const type = result['resultType']
    if (type !== 'complete' && type !== 'input_required') {
      throw new Error(`The result of ${method} has the resultType ${JSON.stringify(type)}.`)
    }
    return result
  }

  async setLogLevel(level: string): Promise<void> {
    this.#logLevel = level
  }

  async watch({ lists = false, uris = [] }: Interest): Promise<() => Promise<void>> {
    const notifications = {
      ...(lists && { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    }
    const message = this.#message('subscriptions/listen', { notifications }, {})
    const ending = new AbortController()
    const ended = this.roundTrip(message, this.#headers(message, {}), ending.signal)
    const isOurs = ({ method, params }: WireMessage) =>
      method === 'notifications/subscriptions/acknowledged' && metaOf(params)[metaKeys.subscriptionId] === message.id
    // The answer to this request is its end, so it may only come after the acknowledgment.
    const endedEarly = ended.then(() => Promise.reject(new Error('The subscription ended before it began.')))
    const noLimit = new AbortController()
    const acknowledged = await Promise.race([this.inbox.first(isOurs, noLimit.signal), endedEarly])
    endedEarly.catch(() => {
      // It ends when we close it.
    })
    const agreed = acknowledged.params?.['notifications']
    for (const [key, wanted] of Object.entries(notifications)) {
      if (JSON.stringify((agreed as Json | undefined)?.[key]) === JSON.stringify(wanted)) continue
      throw new Error(`The acknowledgment does not name ${key}: ${JSON.stringify(agreed)}`)
    }
    return async () => ending.abort()
  }

  /** Over HTTP the closed stream is the cancellation; a shared channel needs a notification. */
  protected override cancel(id: string): void {
    if (this.own.transport.abandon !== undefined) this.own.transport.abandon(id)
    else super.cancel(id)
  }

  protected onQuestion(message: WireMessage): void {
    this.questions.push({ method: `a request of the server: ${message.method}`, params: message.params ?? {} })
  }

  #message(method: string, params: Json, { progressToken, meta }: RequestOptions): WireMessage & { id: string } {
    const _meta = {
      ...meta,
      [metaKeys.revision]: modernRevision,
      [metaKeys.clientInfo]: { name: this.name, version: '1.0.0' },
      [metaKeys.capabilities]: this.own.capabilities,
      ...(this.#logLevel !== null && { [metaKeys.logLevel]: this.#logLevel }),
      ...(progressToken !== undefined && { progressToken }),
    }
    return { jsonrpc: '2.0', id: `${this.name}-${++this.#lastId}`, method, params: { ...params, _meta } }
  }

  #headers({ method, params }: WireMessage, { headers = {} }: RequestOptions): Record<string, string> {
    const name = params?.['name'] ?? params?.['uri']
    return {
      'mcp-protocol-version': modernRevision,
      'mcp-method': method!,
      ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
      ...headers,
    }
  }
}
