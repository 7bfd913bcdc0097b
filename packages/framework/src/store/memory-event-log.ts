import { randomUUID } from 'node:crypto'
import { checkPositive } from './check-positive.ts'
import { formatEventId, parseEventId } from './event-id.ts'
import { toJsonText } from './json-text.ts'
import { checkKey } from './key.ts'
import type { EventLog } from './store.ts'
import { createSweeper } from './sweeper.ts'

/** The bounds of an event log in memory; all have defaults. */
export interface MemoryEventLogOptions {
  readonly maxEventsPerStream?: number
  readonly maxStreams?: number
  /** Of all messages together, counted as characters of JSON. */
  readonly maxBytes?: number
  /** A stream is forgotten when nothing was appended to it for so long. */
  readonly ttlMs?: number
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** An event log in memory. */
export interface MemoryEventLog extends EventLog {
  /** How many events are kept. */
  readonly size: number
}

interface Stream {
  readonly id: string
  readonly name: string
  /** JSON of the messages; the first of them has the position `first`. */
  readonly messages: string[]
  first: number
  appendedAt: number
}

/**
 * Keeps the events of streams in this process.
 * At its caps it forgets the oldest events of a stream and the stream that was silent for the longest time; a client
 * that wants to resume after one of those learns that it cannot.
 */
export function memoryEventLog(options: MemoryEventLogOptions = {}): MemoryEventLog {
  const { maxEventsPerStream = 1000, maxStreams = 10_000, maxBytes = 64 * 1024 * 1024 } = options
  const { ttlMs = 3_600_000, clock = Date.now } = options
  for (const [name, value] of Object.entries({ maxEventsPerStream, maxStreams, maxBytes, ttlMs })) {
    checkPositive(name, value)
  }
  // The stream that was silent for the longest time comes first.
  const byName = new Map<string, Stream>()
  const byId = new Map<string, Stream>()
  let bytes = 0
  let size = 0

  const dropOldestEvent = (stream: Stream) => {
    bytes -= stream.messages.shift()?.length ?? 0
    stream.first += 1
    size -= 1
  }
  const dropStream = (stream: Stream) => {
    byName.delete(stream.name)
    byId.delete(stream.id)
    for (const message of stream.messages) bytes -= message.length
    size -= stream.messages.length
  }
  const sweep = () => {
    for (const stream of byName.values()) {
      if (stream.appendedAt + ttlMs > clock()) break
      dropStream(stream)
    }
    return byName.size
  }
  const enforceCaps = (current: Stream) => {
    while (current.messages.length > maxEventsPerStream) dropOldestEvent(current)
    const hasTooManyBytes = () => bytes > maxBytes
    for (const stream of byName.values()) {
      if (byName.size <= maxStreams && !hasTooManyBytes()) return
      if (stream !== current) dropStream(stream)
    }
    while (hasTooManyBytes()) dropOldestEvent(current)
  }
  /** Where an event is; undefined when it is gone. */
  const find = (id: string) => {
    const at = parseEventId(id)
    const stream = at && byId.get(at.stream)
    if (at === undefined || stream === undefined || stream.appendedAt + ttlMs <= clock()) return undefined
    const index = at.position - stream.first
    return index >= 0 && index < stream.messages.length ? { stream, index } : undefined
  }
  const sweeper = createSweeper(sweep)

  return {
    get size() {
      sweep()
      return size
    },
    async append(name, message) {
      checkKey(name)
      const text = toJsonText(message)
      const stream = byName.get(name) ?? { id: randomUUID(), name, messages: [], first: 1, appendedAt: 0 }
      stream.messages.push(text)
      stream.appendedAt = clock()
      bytes += text.length
      size += 1
      byName.delete(name)
      byName.set(name, stream)
      byId.set(stream.id, stream)
      const position = stream.first + stream.messages.length - 1
      enforceCaps(stream)
      sweeper.wake()
      return formatEventId({ stream: stream.id, position })
    },
    async streamOf(id) {
      return find(id)?.stream.name
    },
    async after(id) {
      const found = find(id)
      if (found === undefined) return undefined
      const { stream, index } = found
      return stream.messages.slice(index + 1).map((text, offset) => ({
        id: formatEventId({ stream: stream.id, position: stream.first + index + 1 + offset }),
        message: JSON.parse(text),
      }))
    },
  }
}
