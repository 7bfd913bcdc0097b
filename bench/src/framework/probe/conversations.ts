import { LEGACY_REVISION, type RpcMessage } from '../../wire/protocol.ts'
import { servesStdio } from '../contender.ts'
import type { Feature } from './feature.ts'
import type { Exchange, HttpPeer } from './http-peer.ts'

const textOf = ({ result }: RpcMessage) => ((result?.content ?? []) as { text?: string }[])[0]?.text
const answers = (id: number) => (message: RpcMessage) => message.id === id && message.method === undefined
const says = (method: string) => (message: RpcMessage) => message.method === method
const call = (name: string) => ({ name, arguments: {} })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What happens while a call runs: questions, progress, cancellation, lost streams, changed lists. */
export const conversationFeatures: Feature[] = [
  {
    id: 'ask-legacy',
    title: 'a handler asks the user, legacy client over HTTP',
    probe: async (stage) => {
      const peer = await stage.http()
      await peer.initialize(LEGACY_REVISION, { elicitation: { form: {} } })
      // Some servers ask on the stream of the call, some on the one that the client keeps open.
      const listening = await openStream(peer)
      const { id, exchange } = peer.start('tools/call', call('ask'))
      const asked = await Promise.any([exchange, listening].map((each) => each.find(says('elicitation/create'))))
      peer.post({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { name: 'Ana' } } })
      const answer = await Promise.any([exchange, listening].map((each) => each.find(answers(id))))
      return textOf(answer) === 'Hello, Ana!'
    },
  },
  {
    id: 'ask-modern',
    title: 'the same handler, modern client',
    probe: async (stage) => {
      const peer = await stage.http()
      const can = { elicitation: { form: {} } }
      const { result: asked } = await peer.requestModern('tools/call', call('ask'), can)
      const keys = Object.keys(asked?.inputRequests ?? {})
      if (asked?.resultType !== 'input_required' || keys.length !== 1) return false
      const inputResponses = { [keys[0] ?? '']: { action: 'accept', content: { name: 'Ana' } } }
      const state = asked.requestState === undefined ? {} : { requestState: asked.requestState }
      return (
        textOf(await peer.requestModern('tools/call', { ...call('ask'), inputResponses, ...state }, can)) ===
        'Hello, Ana!'
      )
    },
  },
  {
    id: 'progress-legacy',
    title: 'progress, legacy client over HTTP',
    probe: async (stage) => {
      const peer = await stage.http()
      await peer.initialize(LEGACY_REVISION)
      const listening = await openStream(peer)
      const { exchange } = peer.start('tools/call', { ...call('steps'), _meta: { progressToken: 'p' } })
      return hasProgress(exchange, listening)
    },
  },
  {
    id: 'progress-modern',
    title: 'progress, modern client',
    probe: async (stage) => {
      const peer = await stage.http()
      return hasProgress(peer.startModern('tools/call', { ...call('steps'), _meta: { progressToken: 'p' } }).exchange)
    },
  },
  {
    id: 'cancel-legacy',
    title: 'cancellation reaches the handler, legacy client over HTTP',
    probe: async (stage) => {
      const peer = await stage.http()
      await peer.initialize(LEGACY_REVISION)
      const { id } = peer.start('tools/call', call('wait'))
      await sleep(300)
      peer.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      return becomesTrue(() => peer.request('tools/call', call('cancelled')))
    },
  },
  {
    id: 'cancel-modern',
    title: '… modern client, which closes the stream',
    probe: async (stage) => {
      const peer = await stage.http()
      const { exchange } = peer.startModern('tools/call', call('wait'))
      await sleep(300)
      exchange.drop()
      return becomesTrue(() => peer.requestModern('tools/call', call('cancelled')))
    },
  },
  {
    id: 'cancel-stdio',
    title: '… over stdio',
    probe: async (stage) => {
      if (!servesStdio(stage.contender)) return false
      const peer = await stage.stdio()
      await peer.initialize(LEGACY_REVISION)
      // A cancelled request needs no answer.
      peer.request('tools/call', call('wait'), 9999).catch(() => {})
      await sleep(300)
      peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9999 } })
      return becomesTrue(() => peer.request('tools/call', call('cancelled')))
    },
  },
  {
    id: 'resume',
    title: 'a lost stream goes on after Last-Event-ID',
    probe: async (stage) => {
      const peer = await stage.http()
      await peer.initialize(LEGACY_REVISION)
      const { id, exchange } = peer.start('tools/call', { ...call('steps'), _meta: { progressToken: 'p' } })
      await exchange.find(says('notifications/progress'))
      const lastId = exchange.eventIds.at(-1)
      exchange.drop()
      if (lastId === undefined) return false
      await sleep(1000)
      return textOf(await peer.listen(lastId).find(answers(id))) === 'done'
    },
  },
  {
    id: 'changed-legacy',
    title: 'list_changed, legacy client over HTTP',
    probe: async (stage) => {
      const peer = await stage.http()
      await peer.initialize(LEGACY_REVISION)
      const listening = await openStream(peer)
      const { exchange } = peer.start('tools/call', call('grow'))
      return hearsOf('notifications/tools/list_changed', exchange, listening)
    },
  },
  {
    id: 'changed-modern',
    title: 'list_changed, modern client (subscriptions/listen)',
    probe: async (stage) => {
      const peer = await stage.http()
      const { exchange } = peer.startModern('subscriptions/listen', { notifications: { toolsListChanged: true } })
      await exchange.find(says('notifications/subscriptions/acknowledged'))
      await peer.requestModern('tools/call', call('grow'))
      return hearsOf('notifications/tools/list_changed', exchange)
    },
  },
]

/** The stream that a legacy client opens right after its initialize; some send its head with the first event only. */
async function openStream(peer: HttpPeer): Promise<Exchange> {
  const stream = peer.listen()
  await Promise.race([stream.head, sleep(500)])
  return stream
}

const hasProgress = (...exchanges: Exchange[]) => hearsOf('notifications/progress', ...exchanges)

async function hearsOf(method: string, ...exchanges: Exchange[]): Promise<boolean> {
  await Promise.any(exchanges.map((each) => each.find(says(method))))
  return true
}

async function becomesTrue(ask: () => ReturnType<HttpPeer['request']>): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (textOf(await ask()) === 'true') return true
    await sleep(200)
  }
  return false
}
