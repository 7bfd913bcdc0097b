import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

type Entry = { id: string; streamId: string; message: JSONRPCMessage }

/** Remembers the last messages of one legacy connection, so that a client can resume a stream where it broke. */
export function createEventLog(maxEntries = 500): EventStore {
  const entries: Entry[] = []
  let count = 0
  return {
    async storeEvent(streamId, message) {
      const id = `${streamId}_${++count}`
      entries.push({ id, streamId, message })
      if (entries.length > maxEntries) entries.shift()
      return id
    },
    async getStreamIdForEventId(eventId) {
      return entries.find((entry) => entry.id === eventId)?.streamId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const position = entries.findIndex((entry) => entry.id === lastEventId)
      const last = entries[position]
      if (!last) throw new Error(`Event ${lastEventId} is not remembered; send the request again.`)
      for (const entry of entries.slice(position + 1)) {
        // A priming event has an id and no message; there is nothing to send again.
        if (entry.streamId === last.streamId && 'jsonrpc' in entry.message) await send(entry.id, entry.message)
      }
      return last.streamId
    },
  }
}
