import { expect, test } from 'vitest'
import { memoryBackend } from './memory-backend.ts'

test('two memory backends have nothing in common', async () => {
  const [one, other] = [memoryBackend(), memoryBackend()]
  await one.store.save('key', 1, { ttlMs: 60_000 })
  const id = await one.events.append('stream', { jsonrpc: '2.0', method: 'notifications/x' })
  expect(await other.store.load('key')).toBeUndefined()
  expect(await other.events.streamOf(id)).toBeUndefined()
  expect(await one.events.streamOf(id)).toBe('stream')
})
