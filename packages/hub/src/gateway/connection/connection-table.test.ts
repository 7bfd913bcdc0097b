import { describe, expect, test } from 'vitest'
import { AddressLimiter } from '../../access/index.ts'
import type { Connection } from './connection.ts'
import { ConnectionTable } from './connection-table.ts'

const caller = {
  principal: 'operator',
  server: 'facade',
  revision: '2025-11-25',
  clientInfo: undefined,
  capabilities: {},
}

function createTable(limits = { maxConnections: 3, idleMs: 1000, questionMs: 1000 }) {
  const closed: Connection[] = []
  return { table: new ConnectionTable(limits, (connection) => closed.push(connection)), closed }
}

describe('connections', () => {
  test('are found by an id that cannot be guessed', () => {
    const { table } = createTable()
    const connection = table.open(caller)
    expect(connection.id).toMatch(/^[\w-]{16}$/)
    expect(table.get(connection.id)).toBe(connection)
  })

  test.each(['', '__proto__', 'constructor', 'toString', 'size'])('are not found by %j', (id) => {
    const { table } = createTable()
    table.open(caller)
    expect(table.get(id)).toBeUndefined()
  })

  test('have a cap, and room again when one is closed', () => {
    const { table } = createTable()
    const [first] = [table.open(caller), table.open(caller), table.open(caller)]
    expect(() => table.open(caller)).toThrow(expect.objectContaining({ code: 'TOO_MANY_CONNECTIONS' }))
    table.close(first)
    expect(table.open(caller)).toBeDefined()
    expect(table.size).toBe(3)
  })

  test('of one principal have a cap of their own, but for the operator', () => {
    const limits = { maxConnections: 10, maxPerPrincipal: 2, idleMs: 1000, questionMs: 1000 }
    const table = new ConnectionTable(limits, () => {})
    const key = { ...caller, principal: 'key:a' }
    const [first] = [table.open(key), table.open(key)]
    expect(() => table.open(key)).toThrow("'key:a' has 2 connections, its limit.")
    for (let count = 0; count < 5; count++) table.open({ ...caller, principal: 'operator' })
    table.open({ ...caller, principal: 'key:b' })
    table.close(first)
    expect(table.open(key)).toBeDefined()
  })

  test('of one address have a cap of their own, whoever opens them, but for this machine', async () => {
    const addresses = new AddressLimiter({ limits: () => ({ sockets: 1, connections: 2, opensPerMinute: 1 }) })
    const table = new ConnectionTable({ maxConnections: 20, idleMs: 1000, questionMs: 1000, addresses }, () => {})
    const open = (name: string, address: string) => table.openLasting({ ...caller, principal: name }, address)
    const [first] = [await open('key:a', '10.0.0.7'), await open('key:b', '10.0.0.7')]
    await expect(open('operator', '10.0.0.7')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('Your address has 2 connections') as string,
    })
    await open('key:a', '10.0.0.8')
    for (let count = 0; count < 5; count++) await open('key:a', '127.0.0.1')
    table.close(first)
    const again = await open('key:c', '10.0.0.7')
    await expect(open('key:c', '10.0.0.7')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    again.lastSeenAt -= 2000
    await open('key:c', '10.0.0.7')
    expect(again.isClosed).toBe(true)
  })

  test('that were idle too long make room for a new one', () => {
    const { table, closed } = createTable()
    const old = [table.open(caller), table.open(caller), table.open(caller)]
    for (const connection of old) connection.lastSeenAt -= 2000
    table.open(caller)
    expect(table.size).toBe(1)
    expect(closed).toEqual(old)
  })

  test('expire after the idle time, counted from the last request', () => {
    const { table, closed } = createTable()
    const connection = table.open(caller)
    const start = connection.lastSeenAt
    table.expire(start + 990)
    expect(table.size).toBe(1)
    table.expire(start + 1010)
    expect(table.size).toBe(0)
    expect(closed).toEqual([connection])
    expect(connection.isClosed).toBe(true)
  })

  test('are closed once, however often that is asked for', () => {
    const { table, closed } = createTable()
    const connection = table.open(caller)
    table.close(connection)
    table.close(connection)
    table.closeAll()
    expect(closed).toEqual([connection])
  })
})

describe('finished streams that nobody fetched', () => {
  const fill = (connection: Connection, count: number) => {
    for (let index = 0; index < count; index++) {
      const stream = connection.createStream()
      stream.send({ head: `"${'x'.repeat(400_000)}"`, body: null, tail: '' })
      stream.end()
    }
  }
  const keptBytes = (connection: Connection) =>
    connection.currentStreams.reduce((sum, stream) => sum + stream.keptBytes, 0)

  test('are forgotten beyond a limit, the oldest first', () => {
    const { table } = createTable()
    const connection = table.open(caller)
    fill(connection, 20)
    table.expire(performance.now())
    expect(keptBytes(connection)).toBeLessThan(1_500_000)
    expect(connection.stream(20)).toBeDefined()
    expect(connection.stream(1)).toBeUndefined()
  })

  test('are forgotten also while the client is busy', () => {
    const { table } = createTable()
    const connection = table.open(caller)
    // A call under way, which is all that a busy connection needs.
    connection.exchanges.set('1', {} as never)
    fill(connection, 20)
    table.expire(performance.now())
    expect(keptBytes(connection)).toBeLessThan(1_500_000)
    connection.exchanges.clear()
  })
})

test('of notifications for a client without a stream only the last ones wait', () => {
  const { table } = createTable()
  const connection = table.open(caller)
  for (let index = 0; index < 1000; index++) {
    connection.notify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: index } })
    connection.notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  }
  connection.flushWaiting()
  expect(connection.listening.hasReached(64)).toBe(true)
  expect(connection.listening.hasReached(65)).toBe(false)
})
