import { isModern, knows } from '../revision.ts'
import { logLevels, metaKeys, type Json } from '../wire-message.ts'
import type { Cell } from '../cell.ts'
import { errorOf, expectSame, expectTrue, textOf, until } from './expect.ts'
import { needed, removed, type Feature } from './feature.ts'

/** What happens while a call runs. */
export const runningFeatures: readonly Feature[] = [
  {
    name: 'progress',
    title: "Progress with the client's own token",
    async run(cell) {
      const progressToken = `token-${cell.key}`
      await cell.call('steps', { count: 3 }, { progressToken })
      const hasMessage = knows(cell.kind.server, 'progressMessage')
      const expected = [1, 2, 3].map((progress) => ({
        progressToken,
        progress,
        total: 3,
        ...(hasMessage && { message: `step ${progress}` }),
      }))
      expectSame('the progress', progressOf(cell, progressToken), expected)
    },
  },
  {
    name: 'cancel',
    title: 'Cancelling: the server sees it',
    async run({ key, call, server, signal }) {
      const stop = new AbortController()
      const outcome = call('wait', { key }, { signal: stop.signal }).then(
        () => 'answered',
        () => 'given up',
      )
      await until(() => server.journal(key).includes('waiting'), signal)
      stop.abort()
      await until(() => server.journal(key).includes('cancelled'), signal)
      expectSame('the call', await outcome, 'given up')
    },
  },
  {
    name: 'logging',
    title: 'Log messages at the level that the client chose',
    async run(cell) {
      const { client, key, signal } = cell
      if (isModern(client.revision)) {
        await cell.call('log', { key: `${key}-silent` })
        expectSame('log messages that nobody asked for', logsOf(cell, `${key}-silent`), [])
      }
      await client.setLogLevel('warning')
      await cell.call('log', { key })
      await until(() => logsOf(cell, key).includes('emergency'), signal)
      expectSame('the levels', logsOf(cell, key), logLevels.slice(logLevels.indexOf('warning')))
    },
  },
  {
    name: 'ping',
    title: 'Ping, by the client and by the server',
    instead: 'refused with -32601',
    needs: [removed('ping', '2026-07-28', ['client'])],
    async run(cell) {
      const { resultType, ...rest } = await cell.client.request('ping')
      expectSame('the answer', rest, {})
      if (isModern(cell.kind.server)) return
      expectSame("the answer to the server's ping", textOf(await cell.call('ping')), '{}')
    },
    async otherwise(cell) {
      expectSame('the code', (await errorOf(cell.client.request('ping'))).code, -32601)
    },
  },
  {
    name: 'trace',
    title: '`traceparent` and other `_meta` of a request reach the server',
    async run(cell) {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
      const meta = { traceparent, tracestate: 'a=1', 'com.example/own': { deep: [1] } }
      const { meta: told } = JSON.parse(textOf(await cell.call('inspect', {}, { meta }))) as { meta: Json }
      const { traceparent: joined, ...rest } = told
      // The trace is the client's; the span that the server hangs on is the hub's, where there is one.
      expectSame('the trace', String(joined).split('-')[1], traceparent.split('-')[1])
      for (const name of ['tracestate', 'com.example/own'] as const) expectSame(name, rest[name], meta[name])
      const modern = [metaKeys.revision, metaKeys.clientInfo, metaKeys.capabilities].filter((name) => name in told)
      expectSame('keys of 2026-07-28', modern.length, isModern(cell.kind.server) ? 3 : 0)
    },
  },
  {
    name: 'param-headers',
    title: 'Parameters mirrored into headers (`x-mcp-header`)',
    needs: [
      needed(
        'Mirrored parameters came with 2026-07-28',
        '2026-07-28/changelog',
        ({ server }) => server === '2026-07-28',
      ),
      needed(
        'stdio has no headers',
        '2026-07-28/basic/transports/stdio#request-metadata',
        ({ serverTransport }) => serverTransport === 'http',
      ),
    ],
    async run(cell) {
      for (const region of ['eu-1', 'größe']) {
        const encoded = region === 'eu-1' ? region : `=?base64?${Buffer.from(region).toString('base64')}?=`
        const result = await cell.call('region', { region }, { headers: { 'mcp-param-region': encoded } })
        expectSame('the answer', textOf(result), `region ${region}`)
      }
    },
  },
  {
    name: 'custom-method',
    title: 'Methods and capabilities of no specification',
    async run({ client, server }) {
      const capability = (client.capabilities['experimental'] as Json | undefined)?.[`matrix/${server.name}`]
      expectSame('the capability', capability, { answer: 42 })
      const result = await client.request(`matrix/${server.name}`, { say: 'hello' })
      expectSame('the answer', result['said'], 'hello')
    },
  },
]

export function progressOf({ client }: Cell, token: string): Json[] {
  const all = client.inbox.ofMethod('notifications/progress').map(({ params }) => params ?? {})
  const own = all.filter((params) => params['progressToken'] === token)
  expectTrue(`progress came for other tokens: ${JSON.stringify(all)}`, all.every(hasToken))
  return own
}

function hasToken(params: Json): boolean {
  return typeof params['progressToken'] === 'string' && params['progressToken'].startsWith('token-')
}

function logsOf({ client }: Cell, key: string): string[] {
  const all = client.inbox.ofMethod('notifications/message').map(({ params }) => params ?? {})
  return all.filter(({ data }) => (data as Json | undefined)?.['key'] === key).map(({ level }) => String(level))
}
