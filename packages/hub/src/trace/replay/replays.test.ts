import type { EventView, Principal } from '@herma/contract'
import { beforeEach, expect, test } from 'vitest'
import { Replays, type ReplayedCall } from './replays.ts'

const ana: Principal = { id: 'user:ana', kind: 'user', name: 'ana', role: 'admin', scopes: null, servers: null }
const traceId = 'a'.repeat(32)

let events: EventView[]
let sent: { principal: string; call: ReplayedCall }[]

beforeEach(() => {
  events = []
  sent = []
})

const replays = new Replays({
  trace: async () => ({ events }),
  async send({ id: principal }, call) {
    sent.push({ principal, call })
    return { traceId: 'b'.repeat(32), error: null, ms: 3, result: { isError: true, content: [{ text: 'hush' }] } }
  },
  mask: '••••',
  redactValue: (value) => JSON.parse(JSON.stringify(value).replaceAll('hush', '••••')) as unknown,
})
const replay = (request = {}) => replays.replay(traceId, request, ana)

/** A request and its answer as the gateway records them; without `params` no bodies were recorded. */
function record(number: number, fields: Partial<EventView>, params?: object): string {
  const spanId = String(number).padStart(16, '0')
  const base = { at: new Date(number).toISOString(), connector: null, traceId, spanId, server: 'reader', ...fields }
  const message = { jsonrpc: '2.0', id: 1, result: { content: [{ text: 'then' }] } }
  if (params !== undefined) {
    events.push({ ...base, id: `${number}1`, kind: 'message.received', data: { params } })
    events.push({ ...base, id: `${number}2`, kind: 'message.sent', data: { message } })
  }
  events.push({ ...base, id: `${number}3`, kind: 'call.finished', data: {}, ms: 7 })
  return spanId
}

test('the one call of a trace is sent as it was, by who asks, and its answer is masked', async () => {
  record(1, { method: 'tools/call', target: 'read' }, { name: 'read', arguments: { path: 'a' }, _meta: { old: true } })
  record(2, { method: 'server/discover' }, {})
  expect(await replay()).toEqual({
    traceId: 'b'.repeat(32),
    server: 'reader',
    method: 'tools/call',
    target: 'read',
    result: { isError: true, content: [{ text: '••••' }] },
    error: null,
    isError: true,
    ms: 3,
    recorded: { arguments: { path: 'a' }, result: { content: [{ text: 'then' }] }, error: undefined, ms: 7 },
  })
  expect(sent).toEqual([
    {
      principal: 'user:ana',
      call: { server: 'reader', method: 'tools/call', params: { name: 'read', arguments: { path: 'a' } } },
    },
  ])
})

test('of several calls one has to be named, and each can be', async () => {
  record(1, { method: 'tools/call', target: 'read' }, { name: 'read', arguments: {} })
  const second = record(2, { method: 'prompts/get', target: 'greet' }, { name: 'greet', arguments: { who: 'a' } })
  await expect(replay()).rejects.toThrow(`There are 2 calls. Say which, by spanId: 0000000000000001 (tools/call read)`)
  await expect(replay({ spanId: 'f'.repeat(16) })).rejects.toThrow(/No call has the span f+\. Say which/)
  await replay({ spanId: second, arguments: { who: 'b' }, server: 'other' })
  expect(sent[0]?.call).toEqual({
    server: 'other',
    method: 'prompts/get',
    params: { name: 'greet', arguments: { who: 'b' } },
  })
})

test('without recorded bodies arguments have to be given, unless the call needs none', async () => {
  record(1, { method: 'tools/call', target: 'read' })
  await expect(replay()).rejects.toThrow(/not recorded.*herma traces capture reader --level bodies/)
  await replay({ arguments: { path: 'b' } })
  events = []
  record(2, { method: 'resources/read', target: 'file:///a' })
  await replay()
  events = []
  record(3, { method: 'tools/list' })
  await replay()
  expect(sent.map(({ call }) => call.params)).toEqual([
    { name: 'read', arguments: { path: 'b' } },
    { uri: 'file:///a' },
    {},
  ])
})

test('a mask is never sent in place of a secret, not even by who gives arguments', async () => {
  const headers = [{ name: 'a', value: 'Bearer ••••' }]
  record(1, { method: 'tools/call', target: 'get' }, { name: 'get', arguments: { password: '••••', headers } })
  await expect(replay()).rejects.toThrow(
    'these fields held some: arguments.password, arguments.headers[0].value. Give the arguments with their values.',
  )
  await expect(replay({ arguments: { password: '••••' } })).rejects.toThrow('arguments.password. Put their values in.')
  expect(sent).toEqual([])
})

test('a trace without a call says so', async () => {
  record(1, { method: 'server/discover' }, {})
  await expect(replay()).rejects.toThrow(/holds no request of a client that could be sent again/)
})
