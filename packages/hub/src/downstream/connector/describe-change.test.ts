import { ConnectorInput } from '@herma/contract'
import { expect, test } from 'vitest'
import type { ConnectorEntry } from './connectors.ts'
import { describeChange } from './describe-change.ts'
import type { StoredConnector } from './store.ts'

function store(changes: object): StoredConnector {
  const connector = ConnectorInput.parse({ name: 'docs', transport: 'stdio', cmd: 'node', ...changes })
  return {
    id: '1',
    position: 0,
    connector,
    changedAt: {},
    createdAt: new Date(0),
    updatedAt: new Date(0),
    lastTest: null,
    problem: null,
  }
}

function change(before: object, after: object): Record<string, unknown> {
  const credentials = { for: () => ({ authorization: null }) }
  const entry = { stored: store(before), downstream: null, credentials } as unknown as ConnectorEntry
  return describeChange(entry, store(after))
}

test('only what differs is said, each option by itself', () => {
  expect(change({ options: { idleTimeoutMs: 1000 } }, { options: { idleTimeoutMs: 2000 }, args: ['a.js'] })).toEqual({
    before: { args: [], 'options.idleTimeoutMs': 1000 },
    after: { args: ['a.js'], 'options.idleTimeoutMs': 2000 },
  })
})

test('a secret value that was replaced is named and not shown', () => {
  const env = (value: string) => ({ env: [{ name: 'API_KEY', value }] })
  const said = change(env('old-value'), env('new-value'))
  expect(said).toEqual({ before: {}, after: {}, replaced: ['env.API_KEY'] })
})
