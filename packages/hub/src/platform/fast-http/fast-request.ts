import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from './request-head.ts'

/** An ordinary request, whose body is there already. */
export class FastRequest {
  readonly method = 'POST'
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly socket: Socket

  constructor({ path, headers }: RequestHead, body: Buffer, socket: Socket) {
    this.url = path
    this.headers = headers
    this.body = body
    this.socket = socket
  }

  /** Nothing is left to be read. */
  resume(): void {}
}

/** A request, whoever has read it. */
export type HttpRequest = IncomingMessage | FastRequest
