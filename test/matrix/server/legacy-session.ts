import { batchRevision } from '../revision.ts'
import {
  AnsweredError,
  isObject,
  logLevels,
  metaOf,
  type Json,
  type Question,
  type RequestId,
  type WireMessage,
} from '../wire-message.ts'
import { customMethod, methods } from './answer-request.ts'
import { capabilitiesOf } from './offers.ts'
import { missingCapability, Refusal, toRpcError, type RequestContext } from './request-context.ts'
import type { Change, World } from './world.ts'

/** Where messages to the client go: the stream of a request, or the one for everything else. */
export interface ResponseSink {
  send(message: WireMessage | readonly WireMessage[]): void
}

/** One client of a server of the legacy era, from `initialize` on. */
export class LegacySession {
  readonly #world: World
  readonly #standalone: ResponseSink
  readonly #running = new Map<RequestId, AbortController>()
  readonly #questions = new Map<RequestId, (message: WireMessage) => void>()
  readonly #subscribed = new Set<string>()
  readonly #stopWatching: () => void
  #client: { capabilities: Json; info: unknown } | null = null
  #level: string = 'debug'
  // Every session counts from one, so that a gateway that mixes ids up is found out.
  #lastQuestion = 0

  constructor(world: World, standalone: ResponseSink) {
    this.#world = world
    this.#standalone = standalone
    this.#stopWatching = world.watch((change) => this.#tell(change))
  }

  /** Takes a message or a batch; resolves when everything in it was answered on the sink. */
  async receive(value: unknown, sink: ResponseSink): Promise<void> {
    if (!Array.isArray(value)) {
      const response = await this.#take(value as WireMessage, sink)
      if (response !== null) sink.send(response)
      return
    }
    if (this.#world.revision !== batchRevision || value.length === 0) {
      sink.send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'A batch is not a request.' } })
      return
    }
    const responses = await Promise.all(value.map((message) => this.#take(message as WireMessage, sink)))
    const answered = responses.filter((response) => response !== null)
    if (answered.length > 0) sink.send(answered)
  }

  close(): void {
    this.#stopWatching()
    for (const controller of this.#running.values()) controller.abort()
  }

  async #take(message: WireMessage, sink: ResponseSink): Promise<WireMessage | null> {
    const { id, method } = message
    if (method === undefined) {
      this.#questions.get(id as RequestId)?.(message)
      return null
    }
    if (id === undefined || id === null) {
      this.#notice(method, message.params ?? {})
      return null
    }
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      const result = await this.#answer(method, message.params ?? {}, sink, controller.signal)
      return controller.signal.aborted ? null : { jsonrpc: '2.0', id, result }
    } catch (error) {
      return controller.signal.aborted ? null : { jsonrpc: '2.0', id, error: toRpcError(error) }
    } finally {
      this.#running.delete(id)
    }
  }

  #notice(method: string, params: Json): void {
    if (method === 'notifications/cancelled') this.#running.get(params['requestId'] as RequestId)?.abort()
  }

  #answer(method: string, params: Json, sink: ResponseSink, signal: AbortSignal): Json | Promise<Json> {
    const world = this.#world
    if (method === 'ping') return {}
    if (method === 'initialize') return this.#initialize(params)
    const client = this.#client
    if (method === 'server/discover') throw new Refusal(-32601, `Method not found: ${method}`)
    if (client === null) throw new Refusal(-32600, 'Send initialize first.')
    if (method === 'logging/setLevel') {
      if (!(logLevels as readonly unknown[]).includes(params['level'])) throw new Refusal(-32602, 'No such level.')
      this.#level = String(params['level'])
      return {}
    }
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
      const uri = String(params['uri'])
      if (method === 'resources/subscribe') this.#subscribed.add(uri)
      else this.#subscribed.delete(uri)
      world.note(method.slice('resources/'.length), uri)
      return {}
    }
    if (method === customMethod(world)) return { said: params['say'] }
    const run = methods.get(method)
    if (run === undefined) throw new Refusal(-32601, `Method not found: ${method}`)
    return run(world, this.#context(params, client, sink, signal))
  }

  #initialize(params: Json): Json {
    this.#client = {
      capabilities: isObject(params['capabilities']) ? params['capabilities'] : {},
      info: params['clientInfo'],
    }
    const { revision, info, name } = this.#world
    return {
      protocolVersion: revision,
      capabilities: capabilitiesOf(this.#world),
      serverInfo: info,
      instructions: `Use ${name}.`,
    }
  }

  #context(
    params: Json,
    client: { capabilities: Json; info: unknown },
    sink: ResponseSink,
    signal: AbortSignal,
  ): RequestContext {
    const meta = metaOf(params)
    const notify = (method: string, body: Json) => {
      if (!signal.aborted) sink.send({ jsonrpc: '2.0', method, params: body })
    }
    return {
      params,
      meta,
      client,
      signal,
      notify,
      progress: (progress) => {
        const progressToken = meta['progressToken']
        if (progressToken !== undefined) notify('notifications/progress', { progressToken, ...progress })
      },
      log: (level, data) => {
        const isWanted = logLevels.indexOf(level as 'debug') >= logLevels.indexOf(this.#level as 'debug')
        if (isWanted) notify('notifications/message', { level, logger: 'matrix', data })
      },
      ask: async (questions) => {
        const asked = Object.entries(questions).map(async ([key, question]) => {
          const missing = missingCapability(question, client.capabilities)
          if (missing !== null) throw new Refusal(-32600, `The client does not offer ${JSON.stringify(missing)}.`)
          return [key, await this.#ask(question, sink)] as const
        })
        return Object.fromEntries(await Promise.all(asked))
      },
      ping: () => this.#ask({ method: 'ping', params: {} }, sink),
    }
  }

  #ask({ method, params }: Question, sink: ResponseSink): Promise<Json> {
    const id = ++this.#lastQuestion
    return new Promise((resolve, reject) => {
      this.#questions.set(id, ({ result, error }) => {
        this.#questions.delete(id)
        if (error === undefined) resolve(result ?? {})
        else reject(new AnsweredError(error))
      })
      sink.send({ jsonrpc: '2.0', id, method, ...(Object.keys(params).length > 0 && { params }) })
    })
  }

  #tell(change: Change): void {
    if (this.#client === null) return
    if ('list' in change) {
      this.#standalone.send({ jsonrpc: '2.0', method: `notifications/${change.list}/list_changed` })
    } else if (this.#subscribed.has(change.uri)) {
      this.#standalone.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.uri } })
    }
  }
}
