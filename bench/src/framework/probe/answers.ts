import { LEGACY_REVISION, type RpcMessage } from '../../wire/protocol.ts'
import { servesStdio } from '../contender.ts'
import type { Feature, ProbeStage } from './feature.ts'

type Ask = (method: string, params: Record<string, unknown>) => Promise<RpcMessage>

/** What single answers look like. */
export const answerFeatures: Feature[] = [
  {
    id: 'readable',
    title: 'an invalid argument is answered in words for a model',
    probe: async (stage) => {
      const ask = await openLegacy(stage)
      const { result, error } = await ask('tools/call', { name: 'add', arguments: { a: 'one', b: 2 } })
      const [content] = (result?.content ?? []) as { text?: string }[]
      const text = error?.message ?? (result?.isError ? content?.text : undefined) ?? ''
      return isReadable(text)
    },
  },
  {
    id: 'output',
    title: 'output schema and structured content',
    probe: async (stage) => {
      const ask = await openLegacy(stage)
      const { result } = await ask('tools/list', {})
      const listed = (result?.tools ?? []) as { name: string; outputSchema?: object }[]
      const called = await ask('tools/call', { name: 'measure', arguments: {} })
      const { sum } = (called.result?.structuredContent ?? {}) as { sum?: number }
      return listed.find(({ name }) => name === 'measure')?.outputSchema !== undefined && sum === 3
    },
  },
  {
    id: 'complete-prompt',
    title: 'completion of prompt arguments',
    probe: async (stage) => {
      const ask = await openLegacy(stage)
      const { result } = await ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: 'p' },
      })
      return JSON.stringify(valuesOf(result)) === '["python","perl"]'
    },
  },
  {
    id: 'complete-template',
    title: 'completion of resource template variables',
    probe: async (stage) => {
      const ask = await openLegacy(stage)
      const { result } = await ask('completion/complete', {
        ref: { type: 'ref/resource', uri: 'greeting://{name}' },
        argument: { name: 'name', value: 'A' },
      })
      return JSON.stringify(valuesOf(result)) === '["Ana"]'
    },
  },
  {
    id: 'parse',
    title: 'broken JSON on stdio is answered (-32700)',
    probe: async (stage) => {
      if (!servesStdio(stage.contender)) return false
      const peer = await stage.stdio()
      await peer.initialize(LEGACY_REVISION)
      const answered = new Promise<boolean>((resolve) => {
        setTimeout(() => resolve(false), 1500)
        peer.onMessage = (said) => [said].flat().some(({ error }) => error?.code === -32_700) && resolve(true)
      })
      peer.sendText('{"jsonrpc":"2.0",')
      return answered
    },
  },
  {
    id: 'host',
    title: 'a page of another site is refused on loopback (DNS rebinding)',
    probe: async (stage) => {
      const peer = await stage.http()
      const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
      // What a browser sends once the name of a hostile page leads to this machine: both name that page.
      const host = `attacker.example:${new URL(peer.url).port}`
      const { status } = await peer.post(message, { host, origin: `http://${host}` }).head
      return status >= 400
    },
  },
  {
    id: 'oauth',
    title: 'OAuth: challenge and resource metadata (RFC 9728)',
    probe: async (stage) => {
      const peer = await stage.http({ OAUTH: '1' })
      const { status, headers } = await peer.post({ jsonrpc: '2.0', id: 1, method: 'ping' }).head
      const address = /resource_metadata="?([^",\s]+)/.exec(headers['www-authenticate'] ?? '')?.[1]
      if (status !== 401) return false
      const places = [address, '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']
      for (const place of places.filter((each) => each !== undefined)) {
        const response = await fetch(new URL(new URL(place, peer.url).pathname, peer.url))
        const document = (await response.json().catch(() => ({}))) as { authorization_servers?: string[] }
        if (document.authorization_servers?.length) return address === undefined ? 'metadata, no pointer to it' : true
      }
      return false
    },
  },
]

/** Whether a text names the argument and says what is wrong with it, instead of showing data or nothing at all. */
export function isReadable(text: string): boolean {
  return /\ba\b/.test(text) && /number/.test(text) && !/[[{]\s*"|"code"|\n\s+at /.test(text)
}

const valuesOf = (result: RpcMessage['result']) => (result?.completion as { values?: string[] } | undefined)?.values

async function openLegacy(stage: ProbeStage): Promise<Ask> {
  const peer = await stage.http()
  await peer.initialize(LEGACY_REVISION)
  return (method, params) => peer.request(method, params)
}
