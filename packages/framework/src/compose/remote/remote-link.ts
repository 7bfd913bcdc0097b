import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type Client,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type Result,
  type Transport,
} from '@modelcontextprotocol/client'
import { errorCode, McpError } from '../../protocol/errors.ts'
import { isObject, metaKeys, metaOf } from '../../wire/meta.ts'
import { LinkFailure, type RemoteUnavailable } from './remote-unavailable.ts'

export interface LinkRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** What a modern server may ask of whoever calls. */
  readonly capabilities?: object
  readonly logLevel?: string
  readonly signal: AbortSignal
  onProgress?(params: Readonly<Record<string, unknown>>): void
  onLog?(params: Readonly<Record<string, unknown>>): void
}

interface Pending {
  readonly request: LinkRequest
  resolve(result: Result): void
  reject(error: unknown): void
}

type Asker = (question: JSONRPCRequest) => Promise<Result>

const questions: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
const clientInfo = { name: 'herma-remote', version: '1.0.0' }

/**
 * A connection to a remote server. The SDK's client opens and keeps it; requests go beside the client as raw messages,
 * because it would refuse or strip what it does not know: content of new types, tasks, fields of descriptors.
 */
export class RemoteLink {
  readonly client: Client
  readonly #transport: Transport
  readonly #pending = new Map<string, Pending>()
  readonly #toClient: Transport['onmessage']
  #lastId = 0
  /** Answers the questions of a legacy server; set while the one call that may be asked is under way. */
  asker: Asker | undefined
  onListChanged: ((method: string) => void) | undefined

  constructor(client: Client) {
    const { transport } = client
    if (transport === undefined) throw new Error('the client is not connected')
    this.client = client
    this.#transport = transport
    this.#toClient = transport.onmessage
    transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (!this.#take(message)) this.#toClient?.(message, extra)
    }
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === 'modern'
  }

  /** Resolves with the result as it came. Rejects with `McpError` when the server refuses, else with `LinkFailure`. */
  request(request: LinkRequest): Promise<Result> {
    const { signal } = request
    const id = `herma-${++this.#lastId}`
    const stream = this.isModern && this.#transport.hasPerRequestStream === true ? new AbortController() : undefined
    return new Promise<Result>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const cancel = () => {
        this.#pending.delete(id)
        if (stream === undefined) this.#sendCancellation(id)
        else stream.abort()
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', cancel, { once: true })
      const settle = <Value>(then: (value: Value) => void) => {
        return (value: Value) => {
          if (!this.#pending.delete(id)) return
          signal.removeEventListener('abort', cancel)
          then(value)
        }
      }
      const fail = settle(reject)
      this.#pending.set(id, { request, resolve: settle(resolve), reject: fail })
      const params = { ...request.params, _meta: this.#metaOf(request, id) }
      this.#transport
        .send({ jsonrpc: '2.0', id, method: request.method, params } as JSONRPCRequest, {
          headers: request.headers,
          requestSignal: stream?.signal,
          onRequestStreamEnd: () => fail(new LinkFailure('the stream ended without an answer')),
        })
        .catch((error: unknown) => fail(new LinkFailure(error)))
    })
  }

  /** Ends what is under way; the connection is gone. */
  lost(reason: RemoteUnavailable): void {
    for (const { reject } of this.#pending.values()) reject(reason)
  }

  /** Restores the handlers of a client that the author gave us. */
  release(): void {
    this.#transport.onmessage = this.#toClient
  }

  #metaOf({ params, capabilities = {}, logLevel, onProgress }: LinkRequest, id: string): object {
    return {
      ...metaOf(params),
      ...(onProgress !== undefined && { progressToken: id }),
      ...(this.isModern && {
        [metaKeys.revision]: this.client.getNegotiatedProtocolVersion(),
        [metaKeys.clientInfo]: clientInfo,
        [metaKeys.clientCapabilities]: capabilities,
        ...(logLevel !== undefined && { [metaKeys.logLevel]: logLevel }),
      }),
    }
  }

  /** True when the message was for us and not for the client. */
  #take(message: JSONRPCMessage): boolean {
    if (isJSONRPCNotification(message)) return this.#takeNotification(message)
    if (isJSONRPCRequest(message)) return this.#takeQuestion(message)
    const pending = typeof message.id === 'string' ? this.#pending.get(message.id) : undefined
    if (isJSONRPCResultResponse(message)) pending?.resolve(message.result)
    else if (isJSONRPCErrorResponse(message)) pending?.reject(toError(message.error))
    return pending !== undefined
  }

  #takeNotification({ method, params = {} }: JSONRPCNotification): boolean {
    if (method === 'notifications/progress') {
      const pending = this.#pending.get(String(params['progressToken']))
      pending?.request.onProgress?.(params)
      return pending !== undefined
    }
    if (method === 'notifications/message') {
      const listening = [...this.#pending.values()].filter(({ request }) => request.onLog !== undefined)
      // A log message does not say which call it is about, so with several it goes to nobody rather than to a stranger.
      if (listening.length === 1) listening[0]!.request.onLog!(params)
      return false
    }
    if (method.endsWith('/list_changed')) this.onListChanged?.(method)
    return false
  }

  #takeQuestion(request: JSONRPCRequest): boolean {
    const { asker } = this
    if (asker === undefined || !questions.has(request.method)) return false
    const send = (answer: object) =>
      // A server that is gone needs no answer; its loss is noticed elsewhere.
      this.#transport.send({ jsonrpc: '2.0', id: request.id, ...answer } as JSONRPCMessage).catch(() => {})
    asker(request).then(
      (result) => send({ result }),
      (error: unknown) => send({ error: { code: codeOf(error), message: (error as Error).message } }),
    )
    return true
  }

  #sendCancellation(requestId: string): void {
    const _meta = this.isModern ? { _meta: { [metaKeys.revision]: this.client.getNegotiatedProtocolVersion() } } : {}
    const params = { requestId, reason: 'The caller cancelled, or its time is up.', ..._meta }
    // A server that we cannot reach will not go on with the request either.
    this.#transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {})
  }
}

function toError({ code, message, data }: { code: number; message: string; data?: unknown }): McpError {
  return new McpError(code, message, data)
}

function codeOf(error: unknown): number {
  return isObject(error) && typeof error['code'] === 'number' ? error['code'] : errorCode.internal
}
