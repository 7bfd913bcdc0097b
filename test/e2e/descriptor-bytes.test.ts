import type { PinReview } from '@herma/contract'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { startRawServer } from '../fixtures/start-raw-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

const limits = (maximum: string) =>
  `{"type":"object","properties":{"id":{"maximum":${maximum},"type":"integer","multipleOf":1.0},"f":{"maximum":1E400,"enum":[1.50,-0.0]},"any":true},"x":1,"x":2}`
const tool = (maximum: string) =>
  `{ "inputSchema":${limits(maximum)}, "name" : "big","x-new":{"b":2.50,"a":"\\u0041\\/"},"annotations":{"title":"first","title":"T"},"description":"y" }`
const biggest = '9223372036854775807'

/** What a server offers, each with what JSON.parse and JSON.stringify in a row would change. */
const lists = {
  tools: tool(biggest),
  prompts: `{"arguments":[{"required":true,"name":"n"}],"name":"ask","weight":1.0,"n":12345678901234567890}`,
  resources: `{"size":9007199254740993,"uri":"x:one","name":"one","annotations":{"priority":1.0,"priority":1.00}}`,
  resourceTemplates: `{"uriTemplate":"x:{id}","name":"any","rank":1E400}`,
}
const methods = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const

test('descriptors reach clients of both eras as their server wrote them, also from a hub that was restarted', async () => {
  const results = Object.entries(lists).map(([kind, text]) => {
    return [methods[kind as keyof typeof lists], `{"${kind}":[${text}]}`]
  })
  const server = await startRawServer(Object.fromEntries(results) as Record<string, string>)
  const home = await createTemporaryHome()
  const place = { configHome: home.path, stateHome: `${home.path}/state` }
  const expectAll = async (hub: TestHub) => {
    for (const kind of Object.keys(lists) as (keyof typeof lists)[])
      for (const text of await listBoth(hub, methods[kind])) expect(text).toContain(`"${kind}":[${lists[kind]}`)
  }
  try {
    {
      await using hub = await startTestHub(place)
      await hub.api('PATCH', '/api/servers/facade', { metadata: false })
      await hub.add(server.connector('raw', { prefix: '' }))
      await expectAll(hub)
    }
    {
      await using again = await startTestHub(place)
      await expectAll(again)
      // With a prefix and with where it comes from, these two are spliced in and nothing else changes.
      await again.api('PATCH', '/api/servers/facade', { metadata: true })
      await again.api('PATCH', '/api/connectors/raw', { options: { prefix: 'p' } })
      const spliced = lists.tools
        .replace('"big"', '"p__big"')
        .replace(/ \}$/, ' ,"_meta":{"x-herma":{"server":"raw","tool":"big"}}}')
      for (const text of await listBoth(again, methods.tools)) expect(text).toContain(`[${spliced}]`)
      // So with an override: what was not overridden stays as it was.
      await again.api('PATCH', '/api/catalog/overrides/raw/big', { description: 'Mine.', annotations: { title: 'M' } })
      const described = spliced.replace('"y"', '"Mine."').replace('"title":"first","title":"T"', '"title":"M"')
      for (const text of await listBoth(again, methods.tools)) expect(text).toContain(`[${described}]`)

      // A number that JavaScript cannot tell from the one before is a change all the same.
      expect(await pinOf(again)).toMatchObject({ state: 'approved', differences: [] })
      server.results['tools/list'] = `{"tools":[${tool('9223372036854775806')}]}`
      await again.api('PATCH', '/api/connectors/raw', { enabled: false })
      await again.api('PATCH', '/api/connectors/raw', { enabled: true })
      const review = await waitFor(async () => {
        const pin = await pinOf(again)
        return pin.reason === 'changed' ? pin : undefined
      })
      expect(review.differences).toEqual([
        {
          path: 'inputSchema.properties.id.maximum',
          kind: 'changed',
          before: biggest,
          after: '9223372036854775806',
        },
      ])
    }
  } finally {
    await server[Symbol.asyncDispose]()
    await home.remove()
  }
})

async function pinOf(hub: TestHub): Promise<PinReview> {
  return (await hub.api('GET', '/api/catalog/pins/raw/big')).body as PinReview
}

/** The answer to a list as text, for a client of each era. */
async function listBoth(hub: TestHub, method: string): Promise<string[]> {
  const { id } = await WireClient.connect(hub.endpoint)
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const ask = async (own: Record<string, string>, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return (await fetch(hub.endpoint, { method: 'POST', headers: { ...headers, ...own }, body })).text()
  }
  const _meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: {} }
  return [
    await ask({ 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }, {}),
    await ask({ 'mcp-protocol-version': modernRevision, 'mcp-method': method }, { _meta }),
  ]
}
