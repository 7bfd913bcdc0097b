import type { AuthRequest } from '../../../auth/auth.ts'
import type { HttpInfo } from '../../../context/context.ts'

/** What came of reading a body: bytes, a value that somebody before us parsed, or the reason why there is neither. */
export type BodyRead =
  | { readonly bytes: Buffer }
  | { readonly value: unknown }
  | { readonly problem: 'too large' | 'read before' | 'broken off' }

/** One HTTP request and the way to answer it. It is neither node's nor the web's, so that both can be served. */
export interface HttpExchange extends HttpInfo, AuthRequest {
  /** Set for a request whose stream can be resumed. */
  closeStream?: () => void
  /** As it was asked for, without the query. */
  readonly path: string
  readonly url: URL
  /** True once the client has left, or the answer was cut off. */
  readonly isGone: boolean
  /** Bytes that the client has not read yet. */
  readonly unreadBytes: number
  /** `name` in lower case. */
  header(name: string): string | undefined
  /** By their names in lower case. */
  allHeaders(): Record<string, string | string[] | undefined>
  /** Reads the body, keeping no more than so many bytes of it. */
  readBody(maxBytes: number): Promise<BodyRead>
  /** Adds a header to whatever the answer will be. */
  setHeader(name: string, value: string): void
  /** Answers with a whole body. `headers` are names and values in turn. */
  answer(status: number, headers: readonly string[], text?: string): void
  /** Begins an answer that comes piece by piece. */
  startStream(headers: readonly string[]): void
  write(text: string): void
  /** Resolves when the client has read most of what was written, or is gone. */
  drained(): Promise<void>
  end(): void
  /** Ends the answer in a way that tells the client that something is missing. */
  cut(): void
  /** The client left before the answer was whole; called at once when it is gone already. */
  onGone(listener: () => void): void
}

export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end < 0 ? target : target.slice(0, end)
}
