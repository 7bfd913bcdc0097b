import { randomBytes } from 'node:crypto'

/** What a response is called: the thread that keeps it, and how many messages stood there before its turn. */
export interface ResponsePlace {
  readonly thread: string
  readonly before: number
}

/** Known when the turn begins, because a stream tells it first. A response that is not kept has an id of nothing. */
export function toResponseId(place: ResponsePlace | null): string {
  return place === null ? `resp_${randomBytes(24).toString('hex')}` : `resp_${place.thread}_${place.before}`
}

/** Null for what cannot be the id of a response that is kept. */
export function readResponseId(id: string): ResponsePlace | null {
  const match = pattern.exec(id)
  return match === null ? null : { thread: match[1]!, before: Number(match[2]) }
}

const pattern = /^resp_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})_(\d{1,6})$/
