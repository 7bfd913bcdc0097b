import { describe, expect, test } from 'vitest'
import { translateAnswer, translateQuestion } from './translate-question.ts'

const elicit = (params: Record<string, unknown>) => ({ method: 'elicitation/create', params })
const schema = (properties: object) => ({ type: 'object', properties, required: ['a'] })
const titled = { type: 'string', title: 'Pick', oneOf: [{ const: 'x', title: 'Ex' }, { const: 'y' }] }

describe('a question', () => {
  test.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'that is no elicitation is the same for %s',
    (revision) => {
      const question = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 3 } }
      expect(translateQuestion(question, revision)).toEqual(question)
    },
  )

  test.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'has params for %s, also where the server left them out',
    (revision) => {
      for (const method of ['roots/list', 'elicitation/create', 'sampling/createMessage', 'ping'])
        expect(translateQuestion({ method, params: undefined }, revision)).toEqual({ method, params: {} })
    },
  )

  test('asks nobody to report progress, and keeps the rest of what was said about it', () => {
    const asked = { method: 'roots/list', params: { _meta: { progressToken: 1, trace: 'x' } } }
    expect(translateQuestion(asked, '2025-11-25').params).toEqual({ _meta: { trace: 'x' } })
    const only = { method: 'roots/list', params: { _meta: { progressToken: 1 } } }
    expect(translateQuestion(only, '2026-07-28').params).toEqual({})
  })

  test('has no id of an elicitation for a modern client', () => {
    const params = { mode: 'url', url: 'https://a', message: 'm' }
    expect(translateQuestion(elicit({ ...params, elicitationId: 'e' }), '2026-07-28')).toEqual(elicit(params))
  })

  test('has one for a client of 2025-11-25 in URL mode: its own, or another each time', () => {
    const params = { mode: 'url', url: 'https://a', message: 'm' }
    const ids = [1, 2].map(() => translateQuestion(elicit(params), '2025-11-25').params?.['elicitationId'])
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    const own = elicit({ ...params, elicitationId: 'e' })
    expect(translateQuestion(own, '2025-11-25')).toEqual(own)
    const form = elicit({ mode: 'form', message: 'm', requestedSchema: schema({}) })
    expect(translateQuestion(form, '2025-11-25')).toEqual(form)
  })

  test('has its titles in enumNames for a client of 2025-06-18, which knows no modes', () => {
    const asked = elicit({ mode: 'form', message: 'm', requestedSchema: schema({ a: titled, b: { type: 'number' } }) })
    expect(translateQuestion(asked, '2025-06-18').params).toEqual({
      message: 'm',
      requestedSchema: schema({
        a: { type: 'string', title: 'Pick', enum: ['x', 'y'], enumNames: ['Ex', 'y'] },
        b: { type: 'number' },
      }),
    })
  })

  test.each([
    [null],
    ['text'],
    [{ properties: [] }],
    [schema({ a: { oneOf: [{ const: 1 }] } })],
    [schema({ a: 'odd' })],
  ])('with the schema %j, which cannot be read that way, keeps it', (requestedSchema) => {
    expect(translateQuestion(elicit({ message: 'm', requestedSchema }), '2025-06-18').params).toEqual({
      message: 'm',
      requestedSchema,
    })
  })
})

describe('an answer', () => {
  const text = (value: string) => ({ type: 'text', text: value })
  const message = (content: unknown) => ({ model: 'm', role: 'assistant', content })

  test.each([
    ['one text', [text('a')], text('a')],
    ['texts', [text('a'), text('b')], text('a\nb')],
    ['something else', [{ type: 'image', data: 'x' }, text('b')], { type: 'image', data: 'x' }],
    ['one block as before', text('a'), text('a')],
  ])('with %s is one block for a server before 2025-11-25', (_, content, block) => {
    expect(translateAnswer('sampling/createMessage', message(content), '2025-06-18')).toEqual(message(block))
  })

  test('with nothing sampled at all stays an answer that such a server can read', () => {
    expect(translateAnswer('sampling/createMessage', message([]), '2025-06-18')).toEqual(
      message({ type: 'text', text: '' }),
    )
  })

  test('is the same for a server since then, and to other questions', () => {
    const many = message([text('a'), text('b')])
    expect(translateAnswer('sampling/createMessage', many, '2025-11-25')).toBe(many)
    expect(translateAnswer('elicitation/create', many, '2025-06-18')).toBe(many)
    expect(translateAnswer('sampling/createMessage', null, '2025-06-18')).toBeNull()
  })
})
