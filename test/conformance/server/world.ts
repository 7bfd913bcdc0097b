import { randomBytes } from 'node:crypto'
import { createRequestStateCodec, InMemoryServerEventBus } from '@modelcontextprotocol/server'

export type World = ReturnType<typeof createWorld>

/**
 * What outlives one request: the things that tools may change, the bus that tells of it, and the key of `requestState`.
 * A modern request is served by a server object of its own, so nothing of this can live there.
 */
export function createWorld() {
  return {
    bus: new InMemoryServerEventBus(),
    hasExtraTool: false,
    hasExtraPrompt: false,
    watchedEdition: 1,
    states: createRequestStateCodec<{ step: string }>({ key: randomBytes(32) }),
  }
}
