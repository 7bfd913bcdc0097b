import { expect, test } from 'vitest'
import { type IsolationFlags, readIsolation } from './isolation-flags.ts'

const image = 'mcp/fetch'

test('nothing said changes nothing', () => {
  expect(readIsolation({})).toBeUndefined()
})

test('settings of a container imply one', () => {
  expect(readIsolation({ image, network: 'web', memory: '512', cpus: '0.5', processes: '64' })).toEqual({
    type: 'container',
    image,
    network: 'web',
    memoryMb: 512,
    cpus: 0.5,
    processes: 64,
  })
})

test.each([
  ['/data', { source: '/data', writable: false }],
  ['/data:rw', { source: '/data', writable: true }],
  ['/data:ro', { source: '/data', writable: false }],
  ['/data:/in', { source: '/data', target: '/in', writable: false }],
  ['/data:/in:rw', { source: '/data', target: '/in', writable: true }],
])('a mount of %s is for reading only unless it says rw', (spec, mount) => {
  expect(readIsolation({ image, mount: [spec] })).toMatchObject({ mounts: [mount] })
})

test('what is not said of a container stays as it is stored', () => {
  const stored = { type: 'container', image, network: 'web', memoryMb: 64, cpus: 1, processes: 9, mounts: [] } as const
  expect(readIsolation({ network: 'none' }, { ...stored, mounts: [] })).toEqual({ ...stored, network: 'none' })
  expect(readIsolation({ isolation: 'process' }, { ...stored, mounts: [] })).toEqual({ type: 'process' })
})

test('another user is for a process', () => {
  expect(readIsolation({ runAs: 'mcp' })).toEqual({ type: 'process', user: 'mcp' })
})

test.each([
  [{ isolation: 'process', image }, /--image is for a container/],
  [{ isolation: 'none', network: 'web' }, /--network is for a container/],
  [{ isolation: 'container', image, runAs: 'mcp' }, /--run-as is for a process/],
  [{ image, mount: ['/a:/b:/c:rw'] }, /--mount needs/],
  [{ image, memory: 'much' }, /--memory needs a number/],
] satisfies [IsolationFlags, RegExp][])('%j is refused', (flags, message) => {
  expect(() => readIsolation(flags)).toThrow(message)
})
