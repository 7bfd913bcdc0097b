import type { IncomingHttpHeaders } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import {
  idTextOf,
  isRequest,
  isRequestId,
  isObject,
  piecesToBuffer,
  toMessage,
  type Message,
  type Pieces,
  type RequestMessage,
} from '../../wire/index.ts'
import type { Connection } from '../connection/connection.ts'
import type { IncomingRequest } from '../call/exchange.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import { identify, type ResponseSink } from './sink/response-sink.ts'
import { toHubError, toRpcError } from './refuse.ts'

/** The only revision with batches: https://modelcontextprotocol.io/specification/2025-03-26/basic#batching */
const batchRevision = '2025-03-26'
const maxMessages = 100

/** Where the one answer to a batch goes. */
export interface BatchSink {
  finish(pieces: Pieces | null): void
  send(message: object): boolean
  beat(now: number): void
}

/** For clients without a connection, which batches need: modern ones, and those that have not said who they are. */
export function noBatch(): HubError {
  return new HubError(
    'INVALID_REQUEST',
    `Send one message at a time: batches are part of ${batchRevision} only, and need its connection.`,
  )
}

/** Refuses what is no batch that this connection may send. */
export function requireBatch(messages: readonly unknown[], connection: Connection): void {
  const { revision } = connection.caller
  if (revision !== batchRevision) {
    throw new HubError(
      'INVALID_REQUEST',
      `Send one message at a time: batches are part of ${batchRevision} only, and this connection speaks ${revision}.`,
    )
  }
  if (messages.length === 0) throw new HubError('INVALID_REQUEST', 'The batch is empty.')
  if (messages.length > maxMessages) {
    throw new HubError('INVALID_REQUEST', `The batch has ${messages.length} messages; the limit is ${maxMessages}.`)
  }
}

/** Runs the messages of a batch side by side and answers all of its requests as one array. */
export function runBatch(
  receiver: RequestReceiver,
  batch: {
    messages: readonly unknown[]
    connection: Connection
    principal: Principal
    transport: IncomingRequest['transport']
    isLocal: boolean
    headers: IncomingHttpHeaders
  },
  sink: BatchSink,
): void {
  const { connection, headers } = batch
  const answers = new Answers(sink)
  const requests: RequestMessage[] = []
  for (const value of batch.messages) {
    try {
      const message = readMember(value, requests, connection)
      if (isRequest(message)) requests.push(message)
      else receiver.notice(connection, message)
    } catch (error) {
      answers.refuse(idOf(value), toHubError(error))
    }
  }
  const members = requests.map((message) => ({ message, sink: answers.expect(message) }))
  answers.settle()
  const { principal, transport, isLocal } = batch
  const from = { caller: connection.caller, principal, connection, headers, transport, isLocal, bytes: null }
  for (const member of members) receiver.run({ ...member, ...from })
}

function readMember(value: unknown, earlier: readonly RequestMessage[], connection: Connection): Message {
  const message = toMessage(value)
  if (!isRequest(message)) return message
  if (message.method === 'initialize') throw new HubError('INVALID_REQUEST', 'initialize may not be part of a batch.')
  const { id, clientId } = identify(message)
  if (earlier.some((other) => identify(other).id === id) || connection.exchanges.has(id))
    throw new HubError('INVALID_REQUEST', `The id ${clientId} is in use.`)
  return message
}

function idOf(value: unknown): string {
  return isObject(value) && isRequestId(value['id']) ? idTextOf({ ...value, id: value['id'] }) : 'null'
}

/** Collects what the requests of a batch are answered. */
class Answers {
  readonly #sink: BatchSink
  readonly #given: Buffer[] = []
  #open = 0

  constructor(sink: BatchSink) {
    this.#sink = sink
  }

  refuse(idText: string, error: HubError): void {
    this.#given.push(Buffer.from(`{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(toRpcError(error))}}`))
  }

  expect(request: RequestMessage): ResponseSink {
    this.#open++
    let isDone = false
    const done = (pieces: Pieces | null) => {
      if (isDone) return
      isDone = true
      if (pieces !== null) this.#given.push(piecesToBuffer(pieces))
      this.#open--
      this.settle()
    }
    return {
      ...identify(request),
      onGone: null,
      finish: (pieces) => done(pieces),
      send: (message) => this.#sink.send(message),
      begin: () => false,
      continue: () => true,
      end: () => done(null),
      close: () => done(null),
      beat: (now) => this.#sink.beat(now),
    }
  }

  settle(): void {
    if (this.#open > 0) return
    if (this.#given.length === 0) return this.#sink.finish(null)
    const parts = this.#given.flatMap((answer, index) => [Buffer.from(index === 0 ? '[' : ','), answer])
    this.#sink.finish({ head: '', body: Buffer.concat(parts), tail: ']' })
  }
}
