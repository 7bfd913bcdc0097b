import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AddressLimiter } from '../../access/index.ts'
import { Catalog } from '../../catalog/index.ts'
import type { Connectors } from '../../downstream/index.ts'
import { BufferBudget } from '@herma/framework/wire'
import { operator } from '../../wire/index.ts'
import { ConnectionTable } from '../connection/connection-table.ts'
import { Facade } from '../facade.ts'
import { Fanout } from '../subscription/fanout.ts'
import { RequestReceiver } from '../call/request-receiver.ts'
import { Parking } from '../call/parking.ts'
import type { Permission } from '../call/permission.ts'
import { SseEndpoint } from './sse-endpoint.ts'
import { plainSealer, silentRecorder } from '../testing/test-exchange.ts'

let endpoint: SseEndpoint
let perAddress: number | null

beforeEach(() => {
  vi.useFakeTimers()
  perAddress = null
  const addresses = new AddressLimiter({
    limits: () => ({ sockets: null, connections: perAddress, opensPerMinute: null }),
  })
  const connections = new ConnectionTable({ maxConnections: 5, idleMs: 1000, questionMs: 1000 }, () => {})
  const catalog = new Catalog(() => {})
  // Clients that only listen reach no server and list no tools.
  const curation = {} as Pick<ConstructorParameters<typeof Facade>[0], 'scopes' | 'outputs'>
  const connectors = { entries: () => [], settled: () => null } as unknown as Connectors
  const parking = new Parking({ maxParked: 1, expiryMs: 1000 }, plainSealer)
  const fanout = new Fanout({
    connections,
    catalog,
    connectors,
    sees: () => true,
    hostOf: () => null,
  })
  const receiver = new RequestReceiver({
    facade: new Facade({
      catalog,
      ...curation,
      connectors,
      fanout,
      parking,
      permission: {} as Permission,
      onGreeted: () => {},
      announce: () => ({}),
    }),
    connections,
    permission: { admit: () => ({ release() {} }) },
    addresses,
    parking,
    recorder: silentRecorder,
  })
  endpoint = new SseEndpoint({ receiver, connections, addresses, maxBodyBytes: 1000, maxClients: 1000 })
})
afterEach(() => vi.useRealTimers())

/** A response whose socket leads nowhere. */
function listen(method = 'GET'): ServerResponse {
  const request = new IncomingMessage(new Socket())
  request.method = method
  const response = new ServerResponse(request)
  const buffers = new BufferBudget()
  endpoint.listen({ server: 'facade', principal: operator, isLocal: true, request, response, buffers }, '/messages')
  return response
}

describe('event streams', () => {
  test('have a cap, and room again when one closes', () => {
    const streams = Array.from({ length: 1000 }, () => listen())
    expect(new Set(streams.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const refused = listen()
    expect(refused.statusCode).toBe(503)
    streams[0]!.emit('close')
    expect(listen().statusCode).toBe(200)
    for (const stream of streams) stream.emit('close')
  })

  test('count for their address from their first byte to their last', () => {
    perAddress = 2
    const [first] = [listen(), listen()]
    expect(listen().statusCode).toBe(429)
    first.emit('close')
    expect(listen().statusCode).toBe(200)
  })

  test('are ended when the client does not say who it is', async () => {
    const stream = listen()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(stream.writableEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(2000)
    expect(stream.writableEnded).toBe(true)
  })

  test('leave no timer behind when they close', () => {
    listen().emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are opened with GET only', () => {
    expect(listen('POST').statusCode).toBe(405)
  })
})
