export interface EventPosition {
  /** The UUID of the stream, not its name: an id must not tell one client what others do, nor be guessed. */
  readonly stream: string
  readonly position: number
}

/** The id of an event; ids of one stream sort in their order. */
export function formatEventId({ stream, position }: EventPosition): string {
  return `${stream}_${String(position).padStart(12, '0')}`
}

/** Undefined for what is no id of ours: clients send what they like as `Last-Event-ID`. */
export function parseEventId(id: string): EventPosition | undefined {
  const match = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_(\d{12,15})$/.exec(id)
  return match?.[1] === undefined ? undefined : { stream: match[1], position: Number(match[2]) }
}
