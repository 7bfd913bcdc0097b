import { idTextOf, toIdKey, type Pieces, type RequestId, type RequestMessage } from '../../../wire/index.ts'

/** Where the messages of one request go: an HTTP response, the event stream of an HTTP+SSE client, or a batch. */
export interface ResponseSink {
  /** To tell it from the other requests of its connection. */
  readonly id: RequestId
  /** The id as it stands in JSON. */
  readonly clientId: string
  /** Called when the client can be reached no more over this sink, before the answer. */
  onGone: (() => void) | null
  /** Releases what counts the call as under way when the answer has left, or the client has. */
  releaseWhenLeft?(permit: { release(): void }): void
  /** Sends the answer. Nothing follows it. */
  finish(pieces: Pieces, status: number, headers?: readonly string[]): void
  /** Sends what belongs to the request but is no answer; false asks the sender to slow down. */
  send(message: object): boolean
  /** Begins an answer of known length; false when it has to come whole. */
  begin(pieces: Pieces, length: number): boolean
  /** False asks the sender to wait until `onDrain`. */
  continue(chunk: Buffer, onDrain: () => void): boolean
  end(error?: Error): void
  /** Lets the client go for a while, where it knows how to come back. */
  pause?(retryMs: number): void
  /** Nothing more comes over this way: the client shall take another one for its next request. */
  isLast?(): void
  /** Ends without an answer. */
  close(): void
  /** Called about once a second, to show signs of life. */
  beat(now: number): void
}

/** How a request is known to its client. */
export function identify(message: RequestMessage): Pick<ResponseSink, 'id' | 'clientId'> {
  const clientId = idTextOf(message)
  return { id: toIdKey(message.id, clientId), clientId }
}
