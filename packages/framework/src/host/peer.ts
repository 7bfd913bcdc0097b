import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/auth.ts'
import type { ConnectionKind, EndReason } from '../connection/connection.ts'
import type { HttpInfo } from '../context/context.ts'

/** Where a message came from. Over HTTP it differs from message to message of one connection. */
export interface Origin {
  readonly principal?: Principal
  readonly http?: HttpInfo
}

/** The way back to a client: what a transport gives the protocol. */
export interface Peer extends Origin {
  readonly kind: ConnectionKind
  /** Sends a message. `related` is the request that it belongs to, so that HTTP can choose the stream. */
  send(message: JSONRPCMessage, related?: RequestId): void
  /** The client cancelled this request: no answer will come. */
  dropped?(request: RequestId): void
  /** The connection is over, whoever ended it: nothing else will be sent. */
  closed?(reason: EndReason): void
}
