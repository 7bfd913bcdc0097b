import { afterEach, expect, test, vi } from 'vitest'
import { CallFeed } from './call-feed.ts'

afterEach(() => vi.unstubAllGlobals())

test('calls are shown before the stream of new ones is open', async () => {
  const events = [{ id: '2' }, { id: '1' }]
  vi.stubGlobal('document', new EventTarget())
  const opening = new Promise<Response>(() => {})
  vi.stubGlobal('fetch', (path: string) =>
    path.includes('/tail') ? opening : Promise.resolve(Response.json({ events, next: null })),
  )
  const feed = new CallFeed({})
  feed.start()
  await vi.waitFor(() => expect(feed.view()).toMatchObject({ rows: events, isReady: true, isLive: false }))
  feed.stop()
})
