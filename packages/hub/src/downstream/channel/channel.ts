import type { HubError } from '@herma/contract'
import type { LongLine } from '@herma/framework/wire'

/** A pair of directions that carries one message after another: a process's pipes, or an event stream with posts. */
export interface Channel {
  readonly processId: number | null
  open(): Promise<void>
  /** Returns why the message was not sent, or null. */
  write(message: string): HubError | null
  /** Resolves when the other side has taken everything that was written, where it could come out of order. */
  flush?(): Promise<void>
  close(): Promise<void>
}

export interface ChannelEvents {
  /** Returns false for what is no message at all. */
  onMessage(bytes: Buffer): boolean
  /** A message beyond the limit came; only its ends were kept. */
  onTooLong?(line: LongLine): void
  /** The other side is gone; called once, and never after `close`. */
  onEnd(cause: HubError): void
  onRemark(text: string): void
}
