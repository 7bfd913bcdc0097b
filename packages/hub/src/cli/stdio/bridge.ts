import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodes, HubError } from '@herma/contract/plain'

import {
  type Era,
  idTextOf,
  isLegacyRevision,
  isNotification,
  isObject,
  isRequest,
  isRequestId,
  jsonProblem,
  metaKeys,
  metaOf,
  type NotificationMessage,
  parseJson,
  RawJson,
  type RequestId,
  type RequestMessage,
  type RpcError,
  toMessage,
  UnreadMessage,
  writeJson,
} from '../../wire/index.ts'
import { modernHeaders, runExchange } from '../../mcp-client/index.ts'
import type { LineOutput } from './client/line-output.ts'
import { type OpenRequest, RequestTable } from './client/request-table.ts'
import { callManageTool, fallbackMethods, fallbackResult, manageTool } from './fallback.ts'
import { HubSupervisor } from './hub/hub-supervisor.ts'
import type { HubSearchOptions } from './hub/search-hub.ts'
import { sendToHub } from './hub/send-to-hub.ts'
import { ToolHeaders } from './hub/tool-headers.ts'
import type { LegacyConnection } from './legacy/legacy-connection.ts'
import { LegacySide } from './legacy/legacy-side.ts'
import { relayRequest } from './relay-request.ts'
import { Subscription } from './subscription.ts'

interface BridgeOptions {
  /** Path of the served server at the hub. */
  readonly path: string
  readonly search: HubSearchOptions
  readonly output: LineOutput
  /** Told when the client may write again. */
  onFlow(): void
}

const modernOnly: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen'])
const finishStepMs = 20

/** An MCP server of both eras on one pipe: every message goes to the hub as it came, and back. */
export class Bridge {
  readonly #options: BridgeOptions
  readonly #output: LineOutput
  readonly #keeper: HubSupervisor
  readonly #legacy: LegacySide
  readonly #table: RequestTable
  readonly #toolHeaders = new ToolHeaders()
  #subscriptions = 0

  constructor(options: BridgeOptions) {
    const { path, output, search } = options
    this.#options = options
    this.#output = output
    this.#table = new RequestTable(options.onFlow)
    this.#keeper = new HubSupervisor(search, {
      onReady: (hub) => this.#legacy.restore(hub),
      onGone: () => this.#legacy.replace(),
    })
    this.#legacy = new LegacySide({ path, output, keeper: this.#keeper, log: search.log })
  }

  /** True while nothing more may be read from the client. */
  get isFull(): boolean {
    return this.#table.isFull || this.#output.isFull
  }

  start(): void {
    this.#keeper.start()
  }

  receive(line: Buffer): void {
    let value: unknown
    try {
      value = parseJson(line)
      if (Array.isArray(value)) return this.#receiveBatch(value, line)
      const message = toMessage(value)
      if (isRequest(message)) this.#receiveRequest(message, line)
      else if (isNotification(message)) this.#watch(this.#receiveNotification(message, line))
      else this.#watch(this.#legacy.answer(message, line))
    } catch (error) {
      this.refuse(idToAnswer(value, error), error)
    }
  }

  /** Answers what cannot be served. */
  refuse(id: RequestId | RawJson | null, error: unknown): void {
    this.#output.send({ jsonrpc: '2.0', id, error: toRpcError(error) })
  }

  /** Waits for the answers that are due soon, for a client that has said all it wants to say. */
  async finish(limitMs: number, signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; this.#table.size > this.#subscriptions && waitedMs < limitMs;) {
      if (signal.aborted) return
      await sleep(finishStepMs)
      if (!this.#keeper.isSearching) waitedMs += finishStepMs
    }
  }

  /** Cancels everything, says goodbye and stops the hub of this process. */
  async stop(): Promise<void> {
    for (const open of this.#table) open.closing.abort(new Error('the client left'))
    await this.#legacy.close()
    await this.#keeper.stop()
  }

  #receiveRequest(message: RequestMessage, line: Buffer): void {
    const era = eraOfMessage(message)
    const open = this.#table.open({ message, era, line }, [message.id])
    const isOpening = message.method === 'initialize' && era === 'legacy'
    this.#serve(open, isOpening ? this.#initialize(open, message) : this.#answer(open, message))
  }

  /** A batch goes to the hub whole: it knows whether the revision of the connection has batches. */
  #receiveBatch(values: unknown[], line: Buffer): void {
    const requests = values.filter((value) => isObject(value) && 'method' in value && isRequestId(value['id']))
    const ids = new Set((requests as { id: RequestId }[]).map(({ id }) => id))
    if (this.#legacy.connection === null) {
      const error = new HubError('INVALID_REQUEST', 'Send one message at a time: batches are part of 2025-03-26 only.')
      for (const id of ids) this.refuse(id, error)
      return
    }
    const translated = this.#legacy.connection?.inward(values) ?? null
    const body = translated === null ? line : Buffer.from(writeJson(translated))
    if (ids.size === 0) return this.#watch(this.#passBatch(body))
    const open = this.#table.open({ message: null, era: 'legacy', line: body }, [...ids])
    this.#serve(
      open,
      this.#legacy.require().then((connection) => this.#relay(open, connection)),
    )
  }

  /** Sees a request to its end; `work` resolves to the error that is left to tell. */
  #serve(open: OpenRequest, work: Promise<RpcError | null>): void {
    const ids = [...open.ids]
    const served = work.catch(toRpcError).then((error) => {
      // One line for each id: unlike an array, every revision knows that.
      if (error !== null && !open.closing.signal.aborted)
        for (const id of open.ids) this.#output.send({ jsonrpc: '2.0', id: idOf(open.message) ?? id, error })
      this.#table.close(open, ids)
    })
    this.#watch(served)
  }

  async #initialize(open: OpenRequest, message: RequestMessage): Promise<RpcError | null> {
    let error: RpcError | null = null
    await this.#legacy.open(message.params ?? {}, async (connection) => {
      error = await this.#relay(open, connection)
      return error === null
    })
    return error
  }

  async #answer(open: OpenRequest, message: RequestMessage): Promise<RpcError | null> {
    if (message.method === 'subscriptions/listen' && open.era === 'modern') return this.#listen(open, message)
    if (this.#isOwn(message, open.era)) {
      const isPing = message.method === 'ping'
      const result = isPing ? {} : await callManageTool(this.#keeper, message.params?.['arguments'], open.era)
      this.#output.send({ jsonrpc: '2.0', id: idOf(message), result })
      return null
    }
    return this.#relay(open, open.era === 'legacy' ? await this.#legacy.require() : null)
  }

  /** What the bridge answers itself while there is no hub, although one may be on its way. */
  #isOwn({ method, params }: RequestMessage, era: Era): boolean {
    if (method === 'ping' && era === 'legacy') return this.#legacy.connection === null || this.#keeper.hub === null
    return method === 'tools/call' && params?.['name'] === manageTool.name && this.#keeper.hub === null
  }

  async #relay(open: OpenRequest, connection: LegacyConnection | null): Promise<RpcError | null> {
    const { message, era } = open
    const error = await relayRequest(open, message !== null && fallbackMethods.has(message.method), {
      path: this.#options.path,
      keeper: this.#keeper,
      output: this.#output,
      table: this.#table,
      toolHeaders: this.#toolHeaders,
      connection,
    })
    if (error !== 'absent') return error
    if (message !== null && !open.closing.signal.aborted)
      this.#output.send({ jsonrpc: '2.0', id: idOf(message), result: fallbackResult(message, era) })
    return null
  }

  async #listen(open: OpenRequest, message: RequestMessage): Promise<RpcError | null> {
    const { path, output } = this.#options
    const subscription = new Subscription(message, { path, output, keeper: this.#keeper, signal: open.closing.signal })
    this.#table.move(open, 'heard')
    this.#subscriptions++
    return subscription.run().finally(() => this.#subscriptions--)
  }

  async #receiveNotification(message: NotificationMessage, line: Buffer): Promise<void> {
    if (message.method === 'notifications/cancelled') return this.#cancel(message)
    if (eraOfMessage(message) === 'legacy') return this.#legacy.notify(message, line)
    const { hub } = this.#keeper
    if (hub === null) return
    const url = new URL(this.#options.path, hub.url)
    await runExchange(sendToHub, { url, headers: modernHeaders(message), body: line, take: () => true })
  }

  /** Ends a request; nothing more is written for it. */
  async #cancel(message: NotificationMessage): Promise<void> {
    const id = message.params?.['requestId'] as RequestId
    const open = this.#table.get(id)
    // What is answered already cannot be cancelled, and a connection is not given up this way.
    if (open === undefined || open.message?.method === 'initialize') return
    open.ids.delete(id)
    if (open.ids.size === 0) open.closing.abort(new Error('the client cancelled'))
    if (open.era === 'legacy') await this.#legacy.cancel(open, message)
  }

  /** A batch without requests: there is only a refusal to tell. */
  async #passBatch(line: Buffer): Promise<void> {
    try {
      const connection = await this.#legacy.require()
      const error = await connection.pass(this.#keeper.hub, line)
      if (error !== null) this.#output.send({ jsonrpc: '2.0', id: null, error })
    } catch (error) {
      this.refuse(null, error)
    }
  }

  /** For work that has nobody to report to. */
  #watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.search.log.warn('a message was lost', { error }))
  }
}

function idOf(message: RequestMessage | null): RawJson | null {
  return message === null ? null : new RawJson(idTextOf(message))
}

/** The id of what could not be taken, as far as it is known. */
function idToAnswer(value: unknown, error: unknown): RawJson | null {
  if (error instanceof UnreadMessage) return new RawJson(error.idText)
  return isObject(value) && isRequestId(value['id']) ? idOf(value as unknown as RequestMessage) : null
}

function eraOfMessage(message: RequestMessage | NotificationMessage): Era {
  const claimed = metaOf(message.params)?.[metaKeys.revision]
  if (claimed === undefined) return modernOnly.has(message.method) ? 'modern' : 'legacy'
  return isLegacyRevision(claimed) ? 'legacy' : 'modern'
}

/** An error as the client is told it. */
function toRpcError(error: unknown): RpcError {
  if (!(error instanceof HubError)) {
    return { code: errorCodes.INTERNAL.rpc, message: `The bridge failed: ${(error as Error).message}` }
  }
  const { rpc } = errorCodes[error.code]
  if (error.code === 'PARSE_ERROR') return { code: rpc, message: `The line is not JSON: ${jsonProblem(error.cause)}` }
  return { code: rpc, message: error.message, ...(error.data !== undefined && { data: error.data }) }
}
