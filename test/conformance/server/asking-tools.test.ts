import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { startServer } from './start-server.ts'

const undos: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
})

const all = { sampling: {}, elicitation: {}, roots: {} }
const tool = 'test_input_required_result'

test.each([
  [`${tool}_elicitation`, ['elicitation/create'], 'Hello, Alice!'],
  [`${tool}_sampling`, ['sampling/createMessage'], 'LLM response'],
  [`${tool}_list_roots`, ['roots/list'], 'file:///work'],
  [`${tool}_request_state`, ['elicitation/create'], 'state-ok'],
  [`${tool}_multi_round`, ['elicitation/create', 'elicitation/create'], 'Both answers came.'],
])('towards a legacy client %s sends %j and goes on with the answers', async (name, methods, text) => {
  const { client, asked } = await connect(all)
  const result = await client.callTool({ name })
  expect(asked).toEqual(methods)
  expect(JSON.stringify(result.content)).toContain(text)
})

test('towards a legacy client several questions are asked at once, before the first is answered', async () => {
  const { client, asked, answerAfter } = await connect(all)
  answerAfter(3)
  const result = await client.callTool({ name: `${tool}_multiple_inputs` })
  expect(asked.toSorted()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage'])
  expect(JSON.stringify(result.content)).toContain('All three answers came.')
})

test('towards a legacy client a prompt asks as well', async () => {
  const { client, asked } = await connect(all)
  const { messages } = await client.getPrompt({ name: `${tool}_prompt` })
  expect(asked).toEqual(['elicitation/create'])
  expect(JSON.stringify(messages)).toContain('Context: Alice')
})

test('a legacy client is asked only what it declared', async () => {
  const { client, asked } = await connect({ sampling: {} })
  await client.callTool({ name: `${tool}_capabilities` })
  expect(asked).toEqual(['sampling/createMessage'])
})

test('a legacy server asks although an answer came before the question', async () => {
  const { client, asked } = await connect(all)
  const early = { user_name: { action: 'accept', content: { name: 'Bob' } } }
  const result = await client.callTool({ name: `${tool}_elicitation`, inputResponses: early } as { name: string })
  expect(asked).toEqual(['elicitation/create'])
  expect(JSON.stringify(result.content)).toContain('Hello, Alice!')
})

async function connect(capabilities: object) {
  const server = await startServer({ port: 0, era: 'legacy' })
  undos.push(() => server.stop())
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  )
  undos.push(() => client.close())

  const asked: string[] = []
  let open = () => {}
  let gate = Promise.resolve()
  let wanted = 0
  const note = async (method: string) => {
    if (asked.push(method) >= wanted) open()
    await gate
  }
  if ('elicitation' in capabilities) {
    client.setRequestHandler('elicitation/create', async ({ method }) => {
      await note(method)
      return { action: 'accept', content: { name: 'Alice', context: 'Alice', color: 'blue', ok: true } }
    })
  }
  if ('sampling' in capabilities) {
    client.setRequestHandler('sampling/createMessage', async ({ method }) => {
      await note(method)
      return { role: 'assistant', model: 'test', content: { type: 'text', text: 'Paris' } }
    })
  }
  if ('roots' in capabilities) {
    client.setRequestHandler('roots/list', async ({ method }) => {
      await note(method)
      return { roots: [{ uri: 'file:///work' }] }
    })
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  return {
    client,
    asked,
    /** Holds every answer back until so many questions came. */
    answerAfter(count: number) {
      wanted = count
      gate = new Promise((resolve) => (open = resolve))
    },
  }
}
