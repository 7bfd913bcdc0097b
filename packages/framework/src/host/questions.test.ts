import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { server } from '../server/app.ts'
import { clientModes, connectClient } from '../server/testing/connect-client.ts'

const name = z.object({ name: z.string() })
const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

/** Answers every question the same way, and keeps what was asked. */
function answering(asked: unknown[], content: Record<string, unknown> = { name: 'Ada' }) {
  return (client: Client) => {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: content as never }
    })
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      asked.push(params.messages[0]?.content)
      return { role: 'assistant', model: 'test', content: { type: 'text', text: 'a poem' } }
    })
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }))
  }
}

describe.each(clientModes)('towards a $era client', ({ era, mode }) => {
  test('one handler asks a person, a model and for roots, and its effects happen once', async () => {
    let effects = 0
    let runs = 0
    const app = server({ name: 'asker', version: '1.0.0' }).tool('sign', {}, async (_, context) => {
      runs++
      const ticket = await context.once('ticket', () => ++effects)
      const person = await context.elicit('who', { message: 'Who are you?', schema: name })
      if (person.action !== 'accept') return 'declined'
      const visited = await context.elicitUrl('visit', { message: 'Sign in.', url: 'https://example.com/sign-in' })
      const poem = await context.sample('poem', {
        maxTokens: 10,
        messages: [{ role: 'user', content: { type: 'text', text: `A poem for ${person.value.name}` } }],
      })
      const roots = await context.roots()
      const line = (poem.content as { text: string }).text
      return `${ticket} ${person.value.name} ${visited.action} ${line} ${roots[0]?.uri}`
    })
    const asked: unknown[] = []
    await using session = await connectClient(app, mode, { capabilities: all, prepare: answering(asked) })

    const answer = await session.client.callTool({ name: 'sign' })

    expect(answer.content).toEqual([{ type: 'text', text: '1 Ada accept a poem file:///tmp' }])
    expect(asked).toEqual(['Who are you?', 'Sign in.', { type: 'text', text: 'A poem for Ada' }])
    expect(effects).toBe(1)
    expect(runs).toBe(era === 'legacy' ? 1 : 5)
  })

  test('questions that are asked together travel together, and finally runs', async () => {
    let runs = 0
    let cleaned = 0
    const app = server({ name: 'asker', version: '1.0.0' }).tool('both', {}, async (_, context) => {
      runs++
      try {
        const [first, second] = await Promise.all([
          context.elicit('first', { message: 'First?', schema: name }),
          context.elicit('second', { message: 'Second?', schema: name }),
        ])
        return `${first.action} ${second.action}`
      } finally {
        cleaned++
      }
    })
    await using session = await connectClient(app, mode, { capabilities: all, prepare: answering([]) })

    expect((await session.client.callTool({ name: 'both' })).content).toEqual([{ type: 'text', text: 'accept accept' }])
    expect([runs, cleaned]).toEqual(era === 'legacy' ? [1, 1] : [2, 2])
  })

  test('prompts and resources may ask too', async () => {
    const app = server({ name: 'asker', version: '1.0.0' })
      .prompt('ask', {}, async (_, context) => {
        const person = await context.elicit('who', { message: 'Who?', schema: name })
        return person.action === 'accept' ? `Hello ${person.value.name}` : 'Hello stranger'
      })
      .resource('me://card', {}, async (_, context) => {
        const person = await context.elicit('who', { message: 'Who?', schema: name })
        return person.action === 'accept' ? person.value.name : ''
      })
    await using session = await connectClient(app, mode, { capabilities: all, prepare: answering([]) })

    expect(await session.client.getPrompt({ name: 'ask' })).toMatchObject({
      messages: [{ content: { text: 'Hello Ada' } }],
    })
    expect((await session.client.readResource({ uri: 'me://card' })).contents).toMatchObject([{ text: 'Ada' }])
  })

  test('tools that call each other keep their questions apart', async () => {
    const app = server({ name: 'asker', version: '1.0.0' })
      .tool('inner', { input: z.object({ n: z.number() }) }, async ({ n }, context) => {
        const answer = await context.elicit('q', { message: `Inner ${n}?`, schema: name })
        return answer.action
      })
      .tool('outer', {}, async (_, context) => {
        await context.elicit('q', { message: 'Outer?', schema: name })
        await context.call('inner', { n: 1 })
        await context.call('inner', { n: 2 })
        return 'done'
      })
    const asked: unknown[] = []
    await using session = await connectClient(app, mode, { capabilities: all, prepare: answering(asked) })

    expect((await session.client.callTool({ name: 'outer' })).content).toEqual([{ type: 'text', text: 'done' }])
    expect(asked).toEqual(['Outer?', 'Inner 1?', 'Inner 2?'])
  })

  test('an answer that does not fit is refused with the reason', async () => {
    const app = server({ name: 'asker', version: '1.0.0' }).tool('ask', {}, async (_, context) => {
      await context.elicit('age', { message: 'Age?', schema: z.object({ age: z.number().min(18) }) })
      return 'old enough'
    })
    const prepare = answering([], { age: 3 })
    await using session = await connectClient(app, mode, { capabilities: all, prepare })

    const answer = await session.client.callTool({ name: 'ask' })

    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer.content)).toContain("The answer to 'age' does not fit: age: ")
  })

  test('a client that cannot be asked is told what it lacks', async () => {
    const app = server({ name: 'asker', version: '1.0.0' }).tool('ask', {}, async (_, context) => {
      await context.elicit('who', { message: 'Who?', schema: name })
      return 'never'
    })
    await using session = await connectClient(app, mode)

    const answer = await session.client.callTool({ name: 'ask' }).catch((error: Error) => error)

    const told = answer instanceof Error ? answer.message : JSON.stringify(answer)
    expect(told).toMatch(/elicitation/)
    expect(answer instanceof Error).toBe(era === 'modern')
  })
})

test('what a modern client carries is bound to its request and cannot be changed', async () => {
  const app = server({ name: 'asker', version: '1.0.0' })
    .tool('ask', {}, async (_, context) => {
      const secret = await context.once('secret', () => 'canary-7712')
      await context.elicit('who', { message: 'Who?', schema: name })
      return secret
    })
    .tool('other', {}, async (_, context) => context.once('secret', () => 'mine'))
  await using session = await connectClient(app, { pin: '2026-07-28' }, { capabilities: all, prepare: answering([]) })
  const raw = (params: object) =>
    session.client.request({ method: 'tools/call', params: params as never }, { allowInputRequired: true } as never)

  const asked = (await raw({ name: 'ask' })) as unknown as { requestState: string }
  expect(Buffer.from(asked.requestState, 'base64url').toString('latin1')).not.toContain('canary')
  await expect(raw({ name: 'other', requestState: asked.requestState })).rejects.toThrow(/requestState/)
  await expect(raw({ name: 'ask', requestState: `A${asked.requestState.slice(1)}` })).rejects.toThrow(/requestState/)
  await expect(raw({ name: 'ask', requestState: 'x' })).rejects.toThrow(/requestState/)
  const others = { name: 'ask', arguments: { other: true }, requestState: asked.requestState }
  await expect(raw(others)).rejects.toThrow(/requestState/)
})
