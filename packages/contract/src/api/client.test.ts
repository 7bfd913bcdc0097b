import { expect, expectTypeOf, test } from 'vitest'
import type { ConnectorView } from '../connector/connector.ts'
import { apiPath, createApiClient, type WireRequest } from './client.ts'
import { addresses } from './addresses.ts'
import { api } from './table.ts'

function recordingClient() {
  const sent: [WireRequest, unknown][] = []
  const client = createApiClient<{ patient: boolean }>(async (request, options) => {
    sent.push([request, options])
    return { connectors: [] }
  })
  return { client, sent }
}

test('every operation of the table is a function of the client', () => {
  expect(Object.keys(recordingClient().client).toSorted()).toEqual(Object.keys(api).toSorted())
})

test('the addresses are those of the table', () => {
  const listed = Object.entries(api).map(([name, { method, path }]) => [name, `${method} ${path}`])
  expect(addresses).toEqual(Object.fromEntries(listed))
})

test('no two operations have the same method and path', () => {
  const all = Object.values(addresses).map((address) => address.replaceAll(/:\w+/g, ':'))
  expect(all.filter((address, index) => all.indexOf(address) !== index)).toEqual([])
})

test('members of the path are encoded, the rest is the query, and what is undefined is left out', async () => {
  const { client, sent } = recordingClient()
  await client.getConnectorLogs({ name: 'a b/c', limit: 5 }, { patient: true })
  await client.listCatalogTools({ server: undefined, all: true })
  expect(sent).toEqual([
    [{ method: 'GET', path: '/api/connectors/a%20b%2Fc/logs?limit=5', body: undefined }, { patient: true }],
    [{ method: 'GET', path: '/api/catalog/tools?all=true', body: undefined }, undefined],
  ])
})

test('a body goes as it is given', async () => {
  const { client, sent } = recordingClient()
  await client.updateConnector({ name: 'files', body: { enabled: false } })
  expect(sent[0]?.[0]).toEqual({ method: 'PATCH', path: '/api/connectors/files', body: { enabled: false } })
})

test('answers have the types of the table', async () => {
  const { client } = recordingClient()
  const { connectors } = await client.listConnectors()
  expectTypeOf(connectors).toEqualTypeOf<ConnectorView[]>()
  expectTypeOf(client.removeConnector({ name: 'files' })).resolves.toEqualTypeOf<undefined>()
  // @ts-expect-error A connector is named.
  await client.getConnector()
})

test('a link to an operation is made from the same table', () => {
  expect(apiPath('downloadTrace', { traceId: 'f'.repeat(32), format: 'har' })).toBe(
    `/api/traces/${'f'.repeat(32)}/download?format=har`,
  )
  expect(apiPath('followChanges')).toBe('/api/changes')
})
