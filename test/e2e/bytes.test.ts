import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileNumber } from '../fixtures/recording-server.mjs'
import { startRecordingServer, type RecordingServer } from '../fixtures/start-recording-server.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'

const eras = ['legacy', 'modern'] as const
const transports = ['stream', 'stdio'] as const
type Era = (typeof eras)[number]

const places = eras.flatMap((era) => transports.map((transport) => ({ era, transport, name: `${era}-${transport}` })))
const servers = new Map<string, RecordingServer>()
let hub: TestHub
let sessionId: string
let opening: string

beforeAll(async () => {
  for (const { era, transport, name } of places) servers.set(name, await startRecordingServer(era, transport))
  hub = await startTestHub({ connectors: [...servers].map(([name, server]) => server.connector(name)) })
  const params = `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}`
  const opened = await send(`{"jsonrpc":"2.0","id":1.0,"method":"initialize","params":${params}}`, {})
  sessionId = opened.headers.get('mcp-session-id')!
  opening = await opened.text()
})

afterAll(async () => {
  await hub?.stop()
  for (const server of servers.values()) await server[Symbol.asyncDispose]()
})

const modernMeta =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}'

function send(body: string | Buffer, headers: Record<string, string>): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  return fetch(hub.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body,
  })
}

function headersOf(era: Era, name: string): Record<string, string> {
  if (era === 'legacy') return { 'mcp-session-id': sessionId }
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
}

interface Sent {
  readonly id: string
  readonly name: string
  readonly args: string
  readonly meta?: string
  readonly more?: string
}

/** A request in the client's own hand: odd spaces, an unusual order, and members that nobody knows. */
function write(era: Era, { id, name, args, meta = '', more = '' }: Sent): string {
  const all = [era === 'modern' ? modernMeta : '', meta].filter(Boolean).join(', ')
  const _meta = all === '' ? '' : `, "_meta": {${all}}`
  return `{"method":"tools/call", "params":{ "arguments" :${args},"name":"${name}"${more}${_meta}}, "jsonrpc":"2.0","x":1.0,"id":${id}}`
}

function lastCall(server: string): string {
  return servers
    .get(server)!
    .messages()
    .findLast((text) => text.includes('"tools/call"'))!
}

/** Numbers, texts, repeated keys and depths that do not survive being read and written again. */
function hostileArguments(seed: number): string {
  let state = seed * 7919 + 1
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  const pick = (texts: readonly string[]) => texts[random(texts.length)]!
  const numbers = ['1189234567890123457', '1.0', '1E400', '-0', '0.1e-7', '-0.0', '100.00', '1e5', `1${'0'.repeat(40)}`]
  const texts = ['"\\u0041"', '"\\/"', '"\\ud800"', '"\\"}],"', '"é😀"', '"\u2028"', '""', '"\\\\"', '"\\u0000"']
  const keys = ['"a"', '"a"', '"b"', '"\\u0061"', '"__proto__"', '"name"', '"_meta"', '""', '"constructor"']
  const space = () => pick(['', '', ' ', '\t'])
  const value = (depth: number): string => {
    const kind = random(depth > 4 ? 3 : 6)
    if (kind === 0) return pick(numbers)
    if (kind === 1) return pick(texts)
    if (kind === 2) return pick(['true', 'false', 'null', '[]', '{ }'])
    const members = Array.from({ length: random(4) }, () => value(depth + 1))
    if (kind === 3) return `[${members.join(`,${space()}`)}]`
    return `{${space()}${members.map((each) => `${pick(keys)}${space()}:${space()}${each}`).join(`,${space()}`)}}`
  }
  const deep = seed % 20 === 0 ? `,"deep":${'[{"a":'.repeat(400)}1.0${'}]'.repeat(400)}` : ''
  return `{${space()}"n":${pick(numbers)},"k":${value(0)},"k":${value(0)}${deep}}`
}

const ids = ['1', '1.0', '12345678901234567890', '1E3', '"\\u0041"', '"é"', '-7', '0', `"${'i'.repeat(300)}"`, '1e400']

describe.each(eras)('a %s client', (client) => {
  test.each(places)('reaches $name with its arguments byte by byte', async ({ era, name }) => {
    for (let seed = 0; seed < 50; seed++) {
      const args = hostileArguments(seed)
      const more = `,"extension": {"big":${hostileNumber}, "e":1E400,"e":2}`
      const meta = '"vendor/id": 12345678901234567890'
      const id = ids[seed % ids.length]!
      const text = write(client, { id, name: `${name}__plain`, args, meta, more })
      const answer = await send(text, headersOf(client, `${name}__plain`))
      expect([seed, answer.status]).toEqual([seed, 200])
      const answered = await answer.text()
      expect(answered).toContain(`"id":${id}`)
      expect(answered).toContain(`"big":${hostileNumber},"one":1.0`)
      expect(answered.includes('resultType')).toBe(client === 'modern')
      const got = lastCall(name)
      expect(got).toContain(`"arguments" :${args},`)
      expect(got).toContain(more)
      expect(got).toContain(meta)
      const sentId = /,"id":(\d+)}$/.exec(got)?.[1]
      expect(got.includes('io.modelcontextprotocol/')).toBe(era === 'modern')
      // Between two ends of one era nothing but the id and the name differs.
      const same = write(client, { id: sentId!, name: 'plain', args, meta, more })
      expect(got === same).toBe(era === client)
    }
  })

  test.each(places)('hears of progress from $name as it was told', async ({ name }) => {
    for (const token of ['12345678901234567890', '"\\u0041"', '5']) {
      const meta = `"progressToken":${token}`
      const args = '{"do":"progress"}'
      const text = write(client, { id: '3', name: `${name}__plain`, args, meta })
      const told = await (await send(text, headersOf(client, `${name}__plain`))).text()
      const shown = token === '"\\u0041"' ? '"A"' : token
      expect(told).toContain(`"progressToken":${shown},"progress":1.0,"total":${hostileNumber}`)
    }
  })

  test.each(places)('gets the errors of $name as they are', async ({ name }) => {
    const text = write(client, { id: '3', name: `${name}__plain`, args: '{"do":"fail"}' })
    const told = await (await send(text, headersOf(client, `${name}__plain`))).text()
    expect(told).toContain('"code":-32099,"message":"resource not found, says the server"')
    expect(told).toContain(`"data":{"row":${hostileNumber}}`)
  })

  test.each(places)('is asked by $name, and answers, without a change', async ({ name, era }) => {
    const tool = `${name}__plain`
    const sent = { id: '9', name: tool, args: '{"do":"ask"}' }
    const response = await send(write(client, sent), headersOf(client, tool))
    const content = '{"n":1189234567890123457,"f":1.0,"k":1,"k":2}'
    const told = client === 'modern' ? await comeBack(response, sent, content) : await answerOnStream(response, content)
    expect(told).toContain(`"maximum":${hostileNumber}`)
    expect(told).toContain('"one":1.0')
    const heard = servers
      .get(name)!
      .messages()
      .findLast((text) => text.includes('"accept"'))!
    expect(heard).toContain(`"content":${content}`)
    expect(heard.includes('inputResponses')).toBe(era === 'modern')
  })

  test('cannot show a server another name than the one that was looked up', async () => {
    const name = `${client}-stream`
    const text = write(client, { id: '4', name: `${name}__plain`, args: '{}' }).replace(
      '"name":',
      '"name":"hidden","uri":1,"name":',
    )
    expect((await send(text, headersOf(client, `${name}__plain`))).status).toBe(200)
    expect(lastCall(name)).not.toContain('hidden')
    expect(lastCall(name)).toContain('"uri":1,"name":"plain"')
  })

  test('gets an error with its own id for a request that is too deep', async () => {
    const args = '['.repeat(2000) + ']'.repeat(2000)
    const text = write(client, { id: '12345678901234567890', name: 'x', args })
    const told = await send(text, headersOf(client, 'x'))
    expect(told.status).toBe(400)
    expect(await told.text()).toContain('"id":12345678901234567890,"error":{"code":-32600')
  })
})

/** Answers as a modern client does: with another request. Returns all that was heard. */
async function comeBack(response: Response, sent: Sent, content: string): Promise<string> {
  const asked = await response.text()
  const { result } = JSON.parse(asked) as { result: { requestState: string; inputRequests: object } }
  const key = Object.keys(result.inputRequests)[0]!
  const more = `,"inputResponses":{"${key}":{"action":"accept","content":${content}}},"requestState":"${result.requestState}"`
  const again = await send(write('modern', { ...sent, more }), headersOf('modern', sent.name))
  return asked + (await again.text())
}

/** Answers as a legacy client does: while the stream of its request is open. Returns all that was heard. */
async function answerOnStream(response: Response, content: string): Promise<string> {
  let told = ''
  let isAnswered = false
  const decoder = new TextDecoder()
  for await (const chunk of response.body! as unknown as AsyncIterable<Uint8Array>) {
    told += decoder.decode(chunk, { stream: true })
    const question = /^data: (\{.*"elicitation\/create".*\})$/m.exec(told)?.[1]
    if (question === undefined || isAnswered) continue
    isAnswered = true
    const { id } = JSON.parse(question) as { id: number }
    const result = `{"action":"accept", "content":${content}}`
    await send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`, { 'mcp-session-id': sessionId })
  }
  return told
}

test('an id comes back as it was written, also from the hub itself', () => {
  expect(opening).toContain('"id":1.0,')
})

test('two ids that JavaScript cannot tell apart are two requests', async () => {
  const [one, other] = ['1189234567890123457', '1189234567890123458']
  const answers = await Promise.all(
    [one, other].map(async (id) => {
      const text = write('legacy', { id, name: 'legacy-stdio__plain', args: `{"id":${id}}` })
      return (await send(text, headersOf('legacy', ''))).text()
    }),
  )
  expect(answers[0]).toContain(`"id":${one}`)
  expect(answers[1]).toContain(`"id":${other}`)
})
