import { expect, test } from 'vitest'

import { RequestTable } from './request-table.ts'

function openMany(table: RequestTable, count: number, bytes = 10, from = 0) {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index
    const message = { jsonrpc: '2.0', id, method: 'tools/call' } as const
    return { id, open: table.open({ message, era: 'modern', line: Buffer.alloc(bytes) }, [id]) }
  })
}

test('requests that wait for a hub stop the reading, and those that it works on do not', () => {
  let flows = 0
  const table = new RequestTable(() => flows++)
  const requests = openMany(table, 64)
  expect(table.isFull).toBe(true)
  for (const { open } of requests) table.move(open, 'sent')
  expect(table.isFull).toBe(false)
  expect(flows).toBe(64)
  for (const { open, id } of requests) table.close(open, [id])
  expect(table.size).toBe(0)
})

test('bytes count until the hub has answered', () => {
  const table = new RequestTable(() => {})
  const requests = openMany(table, 2, 16 * 1024 * 1024)
  for (const { open } of requests) table.move(open, 'sent')
  expect(table.isFull).toBe(true)
  table.move(requests[0]!.open, 'heard')
  expect(table.isFull).toBe(false)
  expect(requests[0]!.open.line).toBeNull()
})

test('a request that is sent again waits again', () => {
  const table = new RequestTable(() => {})
  const requests = openMany(table, 64)
  const { open, id } = requests[0]!
  table.move(open, 'sent')
  table.move(open, 'heard')
  table.move(open, 'waiting')
  expect(table.isFull).toBe(true)
  table.close(open, [id])
  expect(table.isFull).toBe(false)
})

test('an id in use and a request too many are refused', () => {
  const table = new RequestTable(() => {})
  openMany(table, 999)
  expect(() => openMany(table, 1, 10, 5)).toThrow(/id 5 is in use/)
  openMany(table, 1, 10, 5000)
  expect(() => openMany(table, 1, 10, 6000)).toThrow(/1000 requests/)
})
