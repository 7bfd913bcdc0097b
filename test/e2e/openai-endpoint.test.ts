import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTeamHub, succeed, type TeamHub } from './agents/start-team-hub.ts'
import { waitFor } from './start-test-hub.ts'

let place: TeamHub
let key: string

beforeAll(async () => {
  place = await startTeamHub()
  const { llm, hub, addSession } = place
  await addSession({ name: 'coder', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
  await addSession({ name: 'claude', provider: 'anthropic', model: 'claude-x', baseUrl: llm.baseUrl('anthropic') })
  await addSession({ name: 'locked', provider: 'google', model: 'gemini-x', baseUrl: llm.baseUrl('google') })
  await addSession({ name: 'off', provider: 'openai', model: 'x', baseUrl: llm.baseUrl('openai'), enabled: false })
  await succeed(hub, 'PATCH', '/api/servers/session:locked', { access: 'required' })
  const made: { key: string } = await succeed(hub, 'POST', '/api/access/keys', {
    name: 'app',
    servers: ['session:coder'],
  })
  key = made.key
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => {
  place.llm.script = ({ messages }) => ({ text: `You said: ${messages.findLast(({ role }) => role === 'user')!.text}` })
})

/** A client as people have it; it shows the operator's token unless told otherwise. */
function client(session: string | null = 'coder', apiKey = place.hub.operator.authorization.replace('Bearer ', '')) {
  const baseURL = `${place.hub.url}/v1${session === null ? '' : `/sessions/${session}`}`
  return new OpenAI({ baseURL, apiKey, maxRetries: 0 })
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const hello = [{ role: 'user' as const, content: 'hello' }]
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

test('chat completions answer whole and as a stream, at a session and by the model', async () => {
  const whole = await client().chat.completions.create({
    model: 'whatever',
    messages: [{ role: 'system', content: 'Be brief.' }, ...hello],
    temperature: 0.5,
    max_completion_tokens: 100,
  })
  expect(whole).toMatchObject({ object: 'chat.completion', model: 'coder' })
  expect(whole.choices).toMatchObject([
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'You said: hello' } },
  ])
  expect(whole.usage!.total_tokens).toBe(whole.usage!.prompt_tokens + whole.usage!.completion_tokens)
  expect(JSON.stringify(place.llm.requests.at(-1)!.body)).toContain('Be brief.')
  const stream = await client(null).chat.completions.create({
    model: 'claude',
    messages: hello,
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = await collect(stream)
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('You said: hello')
  expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant')
  expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
})

test('tools of the client come back to it as calls, and its results go on', async () => {
  place.llm.script = ({ messages }) => {
    const last = messages.at(-1)!
    return last.role === 'tool'
      ? { text: `It is ${last.text}.` }
      : { text: 'Let me see.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }
  }
  const runner = client('claude').chat.completions.runTools({
    model: 'claude',
    messages: [{ role: 'user', content: 'How is the weather in Rome?' }],
    tools: [
      {
        type: 'function',
        function: { ...weather, parse: JSON.parse, function: ({ city }: { city: string }) => `sunny in ${city}` },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('It is sunny in Rome.')
  const chat = await client('claude').chat.completions.create({
    model: 'claude',
    messages: hello,
    tools: [{ type: 'function', function: weather }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  })
  expect(chat.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'Let me see.',
      tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
    },
  })
  expect(place.llm.requests.at(-1)!.body).toMatchObject({ tool_choice: { type: 'tool', name: 'get_weather' } })
  const stream = client().chat.completions.stream({
    model: 'coder',
    messages: hello,
    tools: [{ type: 'function', function: weather }],
  })
  const streamed = await stream.finalChatCompletion()
  expect(streamed.choices[0]!.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Rome"}' } }])
})

test('the tools of the session run on the hub, and its changes are committed', async () => {
  place.llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'Written.' }
      : { text: 'Writing.', toolCalls: [{ name: 'write_file', arguments: { path: 'src/made.txt', text: 'made' } }] }
  const chat = await client().chat.completions.create({ model: 'coder', messages: hello })
  expect(chat.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Writing.\n\nWritten.' } })
  expect(chat.choices[0]!.message.tool_calls).toBeUndefined()
  expect(await readFile(join(place.workspace, 'src/made.txt'), 'utf8')).toBe('made')
})

test('an answer can be asked for as JSON of a schema', async () => {
  place.llm.script = () => ({ text: '```json\n{"city":"Rome"}\n```' })
  const format = { name: 'place', schema: weather.parameters }
  const chat = await client().chat.completions.create({
    model: 'coder',
    messages: hello,
    response_format: { type: 'json_schema', json_schema: format },
  })
  expect(chat.choices[0]!.message.content).toBe('{"city":"Rome"}')
  const stream = client().responses.stream({
    model: 'coder',
    input: 'hello',
    text: { format: { type: 'json_schema', ...format } },
  })
  expect((await stream.finalResponse()).output_text).toBe('{"city":"Rome"}')
})

test('responses answer whole and as a stream, in the order of events that clients know', async () => {
  const whole = await client().responses.create({ model: 'coder', input: 'hello', instructions: 'Be brief.' })
  expect(whole).toMatchObject({ object: 'response', status: 'completed', output_text: 'You said: hello' })
  expect(whole.usage!.total_tokens).toBeGreaterThan(0)
  place.llm.script = () => ({ text: 'Let me see.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] })
  const stream = await client(null).responses.create({
    model: 'coder',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
    tools: [{ type: 'function', strict: false, ...weather }],
    stream: true,
  })
  const events = await collect(stream)
  const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  const done = events.at(-1)!
  expect(done).toMatchObject({
    response: { status: 'completed', output: [{ type: 'message' }, { type: 'function_call', name: 'get_weather' }] },
  })
})

test('a response goes on from the one before it, also from an older one, and not from that of somebody else', async () => {
  const texts = () =>
    place.llm.requests
      .at(-1)!
      .messages.map(({ text }) => text)
      .filter((text) => /^(one|two|three|You)/.test(text))
  const api = client()
  const one = await api.responses.create({ model: 'coder', input: 'one' })
  const two = await api.responses.create({ model: 'coder', input: 'two', previous_response_id: one.id })
  expect(texts()).toEqual(['one', 'You said: one', 'two'])
  const three = await api.responses.create({ model: 'coder', input: 'three', previous_response_id: one.id })
  expect(texts()).toEqual(['one', 'You said: one', 'three'])
  await api.responses.create({ model: 'coder', input: 'three', previous_response_id: two.id })
  expect(texts()).toEqual(['one', 'You said: one', 'two', 'You said: two', 'three'])
  await api.responses.create({ model: 'coder', input: 'two', previous_response_id: three.id })
  expect(texts()).toEqual(['one', 'You said: one', 'three', 'You said: three', 'two'])
  const unkept = await api.responses.create({ model: 'coder', input: 'one', store: false })
  for (const [who, id] of [
    [api, unkept.id],
    [client('coder', key), one.id],
    [client('claude'), one.id],
  ] as const) {
    const asked = who.responses.create({ model: 'x', input: 'two', previous_response_id: id })
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
  }
})

test('calls of the client in a response get their results in the next one', async () => {
  place.llm.script = ({ messages }) => {
    const last = messages.at(-1)!
    return last.role === 'tool'
      ? { text: `It is ${last.text}.` }
      : { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }
  }
  const tools = [{ type: 'function' as const, strict: false, ...weather }]
  const first = await client('claude').responses.create({ model: 'claude', input: 'How is it in Rome?', tools })
  const [call] = first.output
  if (call?.type !== 'function_call') throw new Error(JSON.stringify(first.output))
  const missing = client('claude').responses.create({
    model: 'claude',
    input: 'And?',
    previous_response_id: first.id,
    tools,
  })
  await expect(missing).rejects.toMatchObject({ status: 400, message: expect.stringContaining(call.call_id) })
  const second = await client('claude').responses.create({
    model: 'claude',
    input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }],
    previous_response_id: first.id,
    tools,
  })
  expect(second.output_text).toBe('It is sunny.')
})

test('a client that leaves ends the turn, to the last socket, and nothing is written', async () => {
  const { llm, workspace } = place
  const before = llm.aborted
  llm.script = ({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: 'slow '.repeat(500), chunkMs: 20 }
      : { toolCalls: [{ name: 'write_file', arguments: { path: 'src/lost.txt', text: 'lost' } }] }
  const stream = await client().chat.completions.create({ model: 'coder', messages: hello, stream: true })
  for await (const { choices } of stream) if (choices[0]?.delta.content?.includes('slow') === true) break
  stream.controller.abort()
  await llm.until(() => llm.aborted > before)
  const controller = new AbortController()
  const whole = client().responses.create({ model: 'coder', input: 'hello' }, { signal: controller.signal })
  const settled = whole.catch((error: unknown) => error)
  await llm.until(() => llm.requests.at(-1)!.messages.at(-1)!.role === 'tool' && llm.open === 1)
  controller.abort()
  expect(await settled).toBeInstanceOf(OpenAI.APIUserAbortError)
  await llm.until(() => llm.aborted > before + 1)
  await waitFor(async () => {
    const view: { health: { running: number } } = await succeed(place.hub, 'GET', '/api/sessions/coder')
    return view.health.running === 0 ? true : undefined
  })
  await expect(access(join(workspace, 'src/lost.txt'))).rejects.toThrow('ENOENT')
})

test('failures have the status and form that clients know, and no key in them', async () => {
  const chat = (api: OpenAI, model = 'x') => api.chat.completions.create({ model, messages: hello })
  await expect(chat(client('coder', `hk_${'x'.repeat(43)}`))).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
  await expect(chat(client(null), 'nobody')).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
    param: 'model',
  })
  await expect(chat(client('nobody'))).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  await expect(chat(client('off'))).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('herma session enable off'),
  })
  await expect(chat(client('claude', key))).rejects.toMatchObject({ status: 403 })
  const twice = client().chat.completions.create({ model: 'coder', messages: hello, n: 2 })
  await expect(twice).rejects.toMatchObject({ status: 400, param: 'n', type: 'invalid_request_error' })
  place.llm.script = () => ({ status: 401 })
  const refused = await chat(client()).catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>)
  expect(refused).toMatchObject({ status: 502, code: 'provider_unauthorized', type: 'server_error' })
  expect(JSON.stringify(refused)).not.toContain('sk-test')
  const streamed = client().responses.create({ model: 'coder', input: 'hello', stream: true })
  await expect(streamed).rejects.toMatchObject({ status: 502 })
  place.llm.script = () => ({ text: 'half of it '.repeat(20), cut: true })
  const cut = await client().responses.create({ model: 'coder', input: 'hello', stream: true })
  expect((await collect(cut)).at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  const broken = await client().chat.completions.create({ model: 'coder', messages: hello, stream: true })
  await expect(collect(broken)).rejects.toThrow(OpenAI.APIError)
})

test('who may not use a session neither talks to it nor sees it', async () => {
  const { url } = place.hub
  const bare = (path: string, init?: RequestInit) =>
    fetch(url + path, { headers: { 'content-type': 'application/json' }, ...init })
  const body = JSON.stringify({ model: 'locked', messages: hello })
  for (const path of ['/v1/chat/completions', '/v1/sessions/locked/chat/completions']) {
    const answer = await bare(path, { method: 'POST', body })
    expect(answer.status, path).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await answer.json()).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_api_key' } })
  }
  const namesFor = async (api: OpenAI) => (await collect(api.models.list())).map(({ id }) => id)
  expect(await namesFor(client(null))).toEqual(['coder', 'claude', 'locked'])
  expect(await namesFor(client(null, key))).toEqual(['coder'])
  expect(await namesFor(client('coder', key))).toEqual(['coder'])
  expect(await (await bare('/v1/models')).json()).toMatchObject({ data: [{ id: 'coder' }, { id: 'claude' }] })
  expect(await client(null).models.retrieve('claude')).toMatchObject({ id: 'claude', object: 'model' })
  expect((await bare('/v1/chat/completions')).status).toBe(405)
  expect((await bare('/v1/embeddings', { method: 'POST', body })).status).toBe(404)
  const page = await bare('/v1/models', { headers: { origin: 'https://evil.example' } })
  expect(page.status).toBe(403)
  const form = await bare('/v1/chat/completions', { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
  expect(form.status).toBe(415)
})

test('a session whose provider leads back to it is refused, with the way of the call', async () => {
  const { hub, addSession } = place
  await addSession({ name: 'loop', provider: 'openai-compatible', model: 'x', baseUrl: `${hub.url}/v1/sessions/back` })
  await addSession({ name: 'back', provider: 'openai-compatible', model: 'loop', baseUrl: `${hub.url}/v1` })
  const asked = client('loop').chat.completions.create({ model: 'loop', messages: hello })
  await expect(asked).rejects.toThrow(/circle: .+session:loop → .+session:back → .+session:loop/)
})

test('a key has a limit of calls here too', async () => {
  const made: { key: string } = await succeed(place.hub, 'POST', '/api/access/keys', {
    name: 'slow',
    limits: { callsPerMinute: 1, concurrency: null },
  })
  const api = client('coder', made.key)
  await api.responses.create({ model: 'coder', input: 'hello' })
  const refused = await api.responses.create({ model: 'coder', input: 'hello' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' })
  expect(Number((refused as InstanceType<typeof OpenAI.APIError>).headers!.get('retry-after'))).toBeGreaterThan(0)
})

test('every request is told once, with its session, route and use', async () => {
  const answer = await client('coder', key).chat.completions.create({ model: 'coder', messages: hello }).asResponse()
  const traceId = answer.headers.get('x-request-id')!
  await answer.json()
  const event = await waitFor(async () => {
    const { events }: { events: Record<string, unknown>[] } = await succeed(place.hub, 'GET', `/api/traces/${traceId}`)
    return events.find(({ kind }) => kind === 'call.finished')
  })
  expect(event).toMatchObject({
    transport: 'openai',
    method: 'chat.completions',
    session: 'coder',
    route: 'openai',
    principal: 'key:app',
    outcome: 'ok',
    data: { usage: { totalTokens: expect.any(Number) } },
  })
})
