import { modernRevision } from '../revision.ts'
import { isObject, logLevels, metaKeys, metaOf, type Json, type RequestId, type WireMessage } from '../wire-message.ts'
import { customMethod, methods } from './answer-request.ts'
import type { ResponseSink } from './legacy-session.ts'
import { capabilitiesOf } from './offers.ts'
import { InputRequired, restoreAnswers } from './request-state.ts'
import { missingCapability, Refusal, toRpcError, type RequestContext } from './request-context.ts'
import type { Change, World } from './world.ts'

const cacheHints = { ttlMs: 5000, cacheScope: 'public' }
const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])
const listFilters = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' }

/** Serves requests of 2026-07-28; each stands alone. */
export class ModernServer {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** The response to a request; null when the client gave up. `subscriptions/listen` is answered when it ends. */
  async answer(message: WireMessage, sink: ResponseSink, signal: AbortSignal): Promise<WireMessage | null> {
    const id = message.id as RequestId
    const method = message.method!
    const params = message.params ?? {}
    try {
      const meta = validate(method, params)
      if (method === 'subscriptions/listen') return await this.#listen(id, params, sink, signal)
      const body = await this.#run(method, params, meta, sink, signal)
      if (signal.aborted) return null
      const hints = cacheable.has(method) ? cacheHints : {}
      const own = { [metaKeys.serverInfo]: this.#world.info }
      return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...hints, ...body, _meta: own } }
    } catch (error) {
      if (signal.aborted) return null
      if (error instanceof InputRequired) return { jsonrpc: '2.0', id, result: error.result }
      return { jsonrpc: '2.0', id, error: toRpcError(error) }
    }
  }

  #run(method: string, params: Json, meta: Json, sink: ResponseSink, signal: AbortSignal): Json | Promise<Json> {
    const world = this.#world
    if (method === 'server/discover') {
      return {
        supportedVersions: [modernRevision],
        capabilities: capabilitiesOf(world),
        instructions: `Use ${world.name}.`,
      }
    }
    if (method === customMethod(world)) return { said: params['say'] }
    const run = methods.get(method)
    if (run === undefined) throw new Refusal(-32601, `Method not found: ${method}`)
    return run(world, toContext(method, params, meta, sink, signal))
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions */
  #listen(id: RequestId, params: Json, sink: ResponseSink, signal: AbortSignal): Promise<null> {
    const filter = isObject(params['notifications']) ? params['notifications'] : {}
    const uris = new Set(Array.isArray(filter['resourceSubscriptions']) ? filter['resourceSubscriptions'] : [])
    const send = (method: string, body: Json) =>
      sink.send({ jsonrpc: '2.0', method, params: { ...body, _meta: { [metaKeys.subscriptionId]: id } } })
    send('notifications/subscriptions/acknowledged', { notifications: filter })
    for (const uri of uris) this.#world.note('subscribe', String(uri))
    const stop = this.#world.watch((change: Change) => {
      if ('uri' in change) {
        if (uris.has(change.uri)) send('notifications/resources/updated', { uri: change.uri })
      } else if (filter[listFilters[change.list]] === true) send(`notifications/${change.list}/list_changed`, {})
    })
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        stop()
        for (const uri of uris) this.#world.note('unsubscribe', String(uri))
        resolve(null)
      })
    })
  }
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#meta */
function validate(method: string, params: Json): Json {
  const meta = metaOf(params)
  const revision = meta[metaKeys.revision]
  const unsupported = { supported: [modernRevision], requested: revision ?? params['protocolVersion'] ?? null }
  if (method === 'initialize' || (revision !== undefined && revision !== modernRevision)) {
    throw new Refusal(-32022, `Unsupported protocol version: only ${modernRevision} is served.`, unsupported)
  }
  if (revision === undefined) throw new Refusal(-32602, `_meta lacks ${metaKeys.revision}.`)
  if (!isObject(meta[metaKeys.capabilities])) throw new Refusal(-32602, `_meta lacks ${metaKeys.capabilities}.`)
  return meta
}

function toContext(method: string, params: Json, meta: Json, sink: ResponseSink, signal: AbortSignal): RequestContext {
  const capabilities = meta[metaKeys.capabilities] as Json
  const notify = (name: string, body: Json) => {
    if (!signal.aborted) sink.send({ jsonrpc: '2.0', method: name, params: body })
  }
  const answers = restoreAnswers(method, params)
  return {
    params,
    meta,
    client: { capabilities, info: meta[metaKeys.clientInfo] },
    signal,
    notify,
    progress: (progress) => {
      const progressToken = meta['progressToken']
      if (progressToken !== undefined) notify('notifications/progress', { progressToken, ...progress })
    },
    log: (level, data) => {
      const wanted = meta[metaKeys.logLevel]
      const isWanted = logLevels.indexOf(level as 'debug') >= logLevels.indexOf(wanted as 'debug')
      if (wanted !== undefined && isWanted) notify('notifications/message', { level, logger: 'matrix', data })
    },
    ask: async (questions) => {
      for (const question of Object.values(questions)) {
        const requiredCapabilities = missingCapability(question, capabilities)
        if (requiredCapabilities !== null) {
          throw new Refusal(-32021, 'The client lacks a capability.', { requiredCapabilities })
        }
      }
      const open = Object.entries(questions).filter(([key]) => answers[key] === undefined)
      if (open.length > 0) throw new InputRequired(method, params, Object.fromEntries(open), answers)
      return answers
    },
    ping: () => Promise.reject(new Refusal(-32600, `${modernRevision} has no ping.`)),
  }
}
