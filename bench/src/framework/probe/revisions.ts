import { SseClient } from '../../client/sse-client.ts'
import { requestResult } from '../../client/mcp-client.ts'
import { LEGACY_REVISIONS, MODERN_REVISION, type RpcMessage } from '../../wire/protocol.ts'
import { servesStdio } from '../contender.ts'
import type { Feature, Finding } from './feature.ts'
import { HttpPeer } from './http-peer.ts'

const add = { name: 'add', arguments: { a: 1, b: 2 } }
const isThree = ({ result }: RpcMessage) => JSON.stringify(result?.content ?? []).includes('"3"')
// A server that knows nothing of the modern era may answer all the same, but then without what that era demands.
const isModernThree = (message: RpcMessage) => isThree(message) && message.result?.resultType === 'complete'

/** Which revisions of the protocol a server answers, and the transports and batches that belong to old ones. */
export const revisionFeatures: Feature[] = [
  {
    id: 'revisions-http',
    title: 'protocol revisions over HTTP',
    probe: async (stage) => {
      const { url } = await stage.http()
      return answeredOf(async (revision) => {
        const peer = new HttpPeer(url)
        if (revision === MODERN_REVISION) return isModernThree(await peer.requestModern('tools/call', add))
        return (await peer.initialize(revision)) === revision && isThree(await peer.request('tools/call', add))
      })
    },
  },
  {
    id: 'revisions-stdio',
    title: 'protocol revisions over stdio',
    probe: async (stage) => {
      if (!servesStdio(stage.contender)) return false
      return answeredOf(async (revision) => {
        const peer = await stage.stdio()
        if (revision === MODERN_REVISION) return isModernThree(await peer.requestModern('tools/call', add))
        return (await peer.initialize(revision)) === revision && isThree(await peer.request('tools/call', add))
      })
    },
  },
  {
    id: 'sse',
    title: 'HTTP+SSE, the transport of 2024-11-05',
    probe: async (stage) => {
      const { url } = await stage.http()
      const client = new SseClient(new URL('/sse', url).href, 4000)
      try {
        await client.open()
        return isThree({ jsonrpc: '2.0', result: await requestResult(client, 'tools/call', add) })
      } finally {
        await client.close()
      }
    },
  },
  {
    id: 'batch-http',
    title: 'batches of 2025-03-26 over HTTP',
    probe: async (stage) => {
      const peer = await stage.http()
      if ((await peer.initialize('2025-03-26')) !== '2025-03-26') return false
      const exchange = peer.post(batch)
      return (await Promise.all(['a', 'b'].map((id) => exchange.find((message) => message.id === id)))).every(isThree)
    },
  },
  {
    id: 'batch-stdio',
    title: 'batches of 2025-03-26 over stdio',
    probe: async (stage) => {
      if (!servesStdio(stage.contender)) return false
      const peer = await stage.stdio()
      if ((await peer.initialize('2025-03-26')) !== '2025-03-26') return false
      const answers = new Map<unknown, RpcMessage>()
      const both = new Promise<boolean>((resolve) => {
        setTimeout(() => resolve(false), 2000)
        peer.onMessage = (said) => {
          for (const message of [said].flat()) answers.set(message.id, message)
          if (answers.has('a') && answers.has('b')) resolve([...answers.values()].every(isThree))
        }
      })
      peer.send(batch)
      return both
    },
  },
]

const batch = ['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: add }))

/** All revisions in words; one that is refused, or answered with another, is named. */
async function answeredOf(answers: (revision: string) => Promise<boolean>): Promise<Finding> {
  const revisions = [MODERN_REVISION, ...LEGACY_REVISIONS]
  const missing: string[] = []
  for (const revision of revisions) {
    if (!(await answers(revision).catch(() => false))) missing.push(revision)
  }
  if (missing.length === 0) return `all ${revisions.length}`
  return `${revisions.length - missing.length} of ${revisions.length}, not ${missing.join(', ')}`
}
