import type { ConnectorView, EventView, HubStatus } from '@herma/contract'
import { expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { startCatalogHub, textIn, type CatalogHub } from './start-catalog-hub.ts'
import { waitFor } from './start-test-hub.ts'

const viewOf = (hub: CatalogHub, name = 'hoarding') => hub.ask<ConnectorView>('GET', `/api/connectors/${name}`)
const untilLeftOut = (hub: CatalogHub) =>
  waitFor(async () => {
    const view = await viewOf(hub)
    return view.health.leftOut.length > 0 && view.counts.tools > 0 ? view : undefined
  })

test.each([
  ['many', 10_000, /more than maxListEntries=10000 tools/],
  ['endless', 10_000, /more than maxListEntries=10000 tools/],
  ['same-cursor', 1000, /do not end: after 1000 entries/],
  ['large-one', 2, /The tool 'tool1' left out: .*maxDescriptorBytes=1048576/],
  ['large-list', 28, /maxListBytes=16777216 bytes: what comes after 28 is left out/],
] as const)(
  'of a server whose lists are %s the rest is left out, which it says, and its tools go on',
  async (how, tools, problem) => {
    await using hub = await startCatalogHub({ connectors: [catalogConnectors.hoarding(how)] })
    const { counts, health } = await untilLeftOut(hub)
    expect(counts.tools).toBe(tools)
    expect(health.leftOut.join('\n')).toMatch(problem)
    const { leftOut } = await hub.ask<HubStatus>('GET', '/api/status')
    expect(leftOut).toContainEqual({ connector: 'hoarding', problem: health.leftOut[0] })
    const client = await hub.connect('modern')
    expect(textIn(await client.call('hoarding__good'))).toBe('ran')
    const metrics = await (await fetch(`${hub.url}/metrics`)).text()
    expect(metrics).toMatch(/herma_downstream_left_out\{connector="hoarding"\} [1-9]/)
  },
)

test('prompts and resources have the same limits, and an option raises them', async () => {
  const limited = { maxListEntries: 700 }
  await using hub = await startCatalogHub({
    connectors: [catalogConnectors.hoarding('many', { options: limited })],
  })
  const { counts, health } = await untilLeftOut(hub)
  expect(counts).toMatchObject({ tools: 700, prompts: 700, resources: 700 })
  expect(health.leftOut).toHaveLength(3)
  await hub.ask('PATCH', '/api/connectors/hoarding', { options: { maxListEntries: 20_000 } })
  const all = await waitFor(async () => {
    const view = await viewOf(hub)
    return view.counts.tools === 10_500 && view.counts.resources === 10_500 ? view : undefined
  })
  expect(all.health.leftOut).toEqual([])
})

test('what a server tells beyond its limit of a minute is counted and not recorded, its calls are', async () => {
  await using hub = await startCatalogHub({
    connectors: [catalogConnectors.hoarding('flood', { options: { maxEventsPerMinute: 50 } })],
  })
  await hub.ask('POST', '/api/servers', { name: 'watched' })
  await hub.ask('PATCH', '/api/traces/capture/watched', { level: 'messages' })
  const client = await hub.connect('legacy', { path: '/api/mcp/servers/watched/stream' })
  let reports = 0
  await client.call('hoarding__good', {}, { onprogress: () => void reports++ })
  await waitFor(() => (reports === 3000 ? true : undefined))
  const metrics = await waitFor(async () => {
    const text = await (await fetch(`${hub.url}/metrics`)).text()
    return text.includes('herma_events_limited_total{') ? text : undefined
  })
  expect(metrics).toMatch(/herma_events_limited_total\{connector="hoarding"\} (29\d\d|3000)/)
  const kept = await waitFor(async () => {
    const { events } = await hub.ask<{ events: EventView[] }>('GET', '/api/traces?kind=part.sent&limit=1000')
    return events.length > 0 ? events.length : undefined
  })
  expect(kept).toBeLessThanOrEqual(50)
  await waitFor(async () => {
    const { events } = await hub.ask<{ events: EventView[] }>(
      'GET',
      '/api/traces?kind=call.finished&connector=hoarding',
    )
    return events.length > 0 ? true : undefined
  })
})
