import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Principal } from '../auth/auth.ts'
import type { Host } from '../host/host.ts'
import { Channel } from '../transport/channel.ts'
import { isObject } from '../wire/meta.ts'
import { idsOf, isAnswerDue, within, type Link } from './link.ts'

interface Waiting {
  readonly ids: ReadonlySet<unknown>
  readonly isBatch: boolean
  resolve(answer: unknown): void
}

export interface MemoryLinkOptions {
  readonly principal?: Principal
  readonly timeoutMs: number
}

/** Joins the official client and a channel of the server; each message is copied through JSON, as on a wire. */
export function memoryLink(host: Host, { principal, timeoutMs }: MemoryLinkOptions): Link {
  const waiting = new Set<Waiting>()
  const transport: Transport = {
    start: async () => {},
    send: async (message) => send(withOwnId(message)),
    close: async () => {
      await channel.close('client')
      transport.onclose?.()
    },
  }
  const channel = new Channel(host, { kind: 'memory', write: (message) => deliver(copy(message)), principal })
  let isClosed = false

  const send = (value: unknown) => {
    const copied = copy(value)
    queueMicrotask(() => {
      if (!isClosed) channel.receive(copied)
    })
  }
  const deliver = (value: unknown) =>
    queueMicrotask(() => {
      for (const waiter of waiting) if (isFor(waiter, value)) return waiter.resolve(value)
      if (!Array.isArray(value)) transport.onmessage?.(withClientId(value as JSONRPCMessage))
    })

  const exchange = async (value: unknown): Promise<unknown> => {
    let waiter: Waiting | undefined
    const answer = new Promise<unknown>((resolve) => {
      waiter = { ids: new Set(idsOf(value)), isBatch: Array.isArray(value), resolve }
      waiting.add(waiter)
    })
    send(value)
    try {
      if (isAnswerDue(value)) return await within(answer, timeoutMs, `The answer to ${JSON.stringify(value)}`)
      // None is due, but a server that refuses says so at once.
      return await Promise.race([answer, new Promise((resolve) => setImmediate(resolve, undefined))])
    } finally {
      waiting.delete(waiter!)
    }
  }
  const close = async () => {
    isClosed = true
    await channel.close('client')
  }
  return { transport, peer: channel, connection: () => channel.legacy.connection, exchange, close }
}

function isFor({ ids, isBatch }: Waiting, value: unknown): boolean {
  if (Array.isArray(value)) return isBatch
  if (!isObject(value) || 'method' in value) return false
  // What has no readable id is answered with null, or without one.
  return value['id'] === null || value['id'] === undefined || (!isBatch && ids.has(value['id']))
}

const ownPrefix = 'client:'

/** The official client counts its requests. They get names, so that a test can send any number itself. */
function withOwnId(message: JSONRPCMessage): unknown {
  if ('method' in message && message.method === 'notifications/cancelled') {
    const { requestId, ...rest } = (message.params ?? {}) as Record<string, unknown>
    return { ...message, params: { ...rest, requestId: named(requestId) } }
  }
  return 'method' in message && 'id' in message ? { ...message, id: named(message.id) } : message
}

function withClientId(message: JSONRPCMessage): JSONRPCMessage {
  const id = 'id' in message ? message.id : undefined
  if ('method' in message || typeof id !== 'string' || !id.startsWith(ownPrefix)) return message
  return { ...message, id: Number(id.slice(ownPrefix.length)) }
}

function named(id: unknown): unknown {
  return typeof id === 'number' ? `${ownPrefix}${id}` : id
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
