import { expect, test } from 'vitest'
import type { Caller } from '../../wire/index.ts'
import { Listener, readFilter } from './subscriptions.ts'

const caller: Caller = {
  principal: 'operator',
  server: 'facade',
  era: 'modern',
  revision: '2026-07-28',
  clientInfo: undefined,
  capabilities: {},
  connectionId: null,
  logLevel: null,
}

test.each([
  [undefined, {}],
  [null, {}],
  ['text', {}],
  [{}, {}],
  [{ unknown: true, toString: true }, {}],
  [{ toolsListChanged: 'yes', promptsListChanged: 1, resourcesListChanged: null }, {}],
  [{ toolsListChanged: false }, {}],
  [{ toolsListChanged: true }, { toolsListChanged: true }],
  [
    { promptsListChanged: true, resourcesListChanged: true },
    { promptsListChanged: true, resourcesListChanged: true },
  ],
  [{ resourceSubscriptions: 'file:///a' }, {}],
  [{ resourceSubscriptions: [] }, { resourceSubscriptions: [] }],
  [
    { resourceSubscriptions: ['file:///a', 5, null, 'file:///b'] },
    { resourceSubscriptions: ['file:///a', 'file:///b'] },
  ],
])('of the filter %j only %j counts', (given, filter) => {
  expect(readFilter(given)).toEqual(filter)
})

test('a listener hears of the lists that it asked for', () => {
  const sent: object[] = []
  const exchange = { caller, notify: (message: object) => sent.push(message) > 0, result: () => {} }
  const listener = new Listener(1, { toolsListChanged: true }, exchange)
  listener.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  expect(sent).toEqual([])
  listener.acknowledge()
  expect(sent.splice(1)).toMatchObject([{ method: 'notifications/tools/list_changed' }])
  expect(sent).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }])
  expect(listener.wants('notifications/tools/list_changed')).toBe(true)
  expect(listener.wants('notifications/prompts/list_changed')).toBe(false)
  expect(listener.wants('notifications/resources/list_changed')).toBe(false)
  expect(listener.wants('notifications/message')).toBe(false)
  expect(listener.wants('toString')).toBe(false)
})
