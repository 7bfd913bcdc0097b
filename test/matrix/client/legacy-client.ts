import { isObject, type Json, type Question, type RequestId, type WireMessage } from '../wire-message.ts'
import type { Interest, RequestOptions } from './matrix-client.ts'
import { WireClient } from './wire-client.ts'

/** A client from 2024-11-05 to 2025-11-25: initialize first, then both sides may ask. */
export class LegacyClient extends WireClient {
  #lastId = 0

  async connect(): Promise<void> {
    await this.open()
    const { name, revision, capabilities, transport } = this.own
    const clientInfo = { name, version: '1.0.0' }
    const result = await this.requestOnce('initialize', { protocolVersion: revision, capabilities, clientInfo })
    if (result['protocolVersion'] !== revision) {
      throw new Error(`initialize was answered with ${String(result['protocolVersion'])} instead of ${revision}.`)
    }
    this.capabilities = isObject(result['capabilities']) ? result['capabilities'] : {}
    transport.agreed?.(revision)
    await this.notify('notifications/initialized')
    await transport.listen?.()
  }

  request(method: string, params?: Json, options: RequestOptions = {}): Promise<Json> {
    return this.requestOnce(method, params, options)
  }

  async requestOnce(method: string, params?: Json, options: RequestOptions = {}): Promise<Json> {
    const { progressToken, meta, signal } = options
    const _meta = { ...meta, ...(progressToken !== undefined && { progressToken }) }
    const all = Object.keys(_meta).length > 0 ? { ...params, _meta } : params
    const message = { jsonrpc: '2.0' as const, id: ++this.#lastId, method, ...(all !== undefined && { params: all }) }
    const result = await this.roundTrip(message, {}, signal)
    if (result['resultType'] === 'input_required') {
      throw new Error(`${method} was answered with input_required, which ${this.revision} does not have.`)
    }
    return result
  }

  async setLogLevel(level: string): Promise<void> {
    await this.requestOnce('logging/setLevel', { level })
  }

  async watch({ uris = [] }: Interest): Promise<() => Promise<void>> {
    for (const uri of uris) await this.requestOnce('resources/subscribe', { uri })
    return async () => {
      for (const uri of uris) await this.requestOnce('resources/unsubscribe', { uri })
    }
  }

  private notify(method: string, params?: Json): Promise<void> {
    return this.own.transport.send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })
  }

  protected onQuestion(message: WireMessage): void {
    const id = message.id as RequestId
    const question = { method: message.method!, params: message.params ?? {} }
    const answered = question.method === 'ping' ? Promise.resolve({}) : this.#answerIfDeclared(question)
    const send = (outcome: Pick<WireMessage, 'result' | 'error'>) =>
      this.own.transport.send({ jsonrpc: '2.0', id, ...outcome })
    void answered
      .then((result) => send({ result }))
      .catch((error: unknown) => send({ error: { code: -32603, message: String(error) } }))
      .catch(() => {
        // The other side is gone; whoever waits for the call says so.
      })
  }

  async #answerIfDeclared(question: Question): Promise<Json> {
    const capability = question.method.split('/')[0]!
    if (this.own.capabilities[capability] === undefined) {
      this.questions.push(question)
      throw new Error(`This client declared no ${capability}.`)
    }
    return this.answer(question)
  }
}
