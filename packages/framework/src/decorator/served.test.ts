import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Context } from '../context/context.ts'
import { server } from '../server/app.ts'
import { matrix } from '../testing/matrix.ts'
import { test as connect } from '../testing/test.ts'
import { generated } from './generated.ts'
import { prompt } from './prompt.ts'
import { resource } from './resource.ts'
import { tool } from './tool.ts'

class Notes {
  readonly #notes = new Map<string, string>()

  @tool({ description: 'Saves.', input: z.object({ id: z.string(), text: z.string().default('empty') }) })
  save({ id, text }: { id: string; text: string }, context: Context) {
    this.#notes.set(id, text)
    return `saved by ${context.method}`
  }
  count = tool({ output: z.object({ count: z.number() }) }, () => ({ count: this.#notes.size }))
  @resource('note://{id}', { mimeType: 'text/plain' }) one({ id }: { id: string }) {
    return this.#notes.get(id) ?? ''
  }
  @prompt({ args: z.object({ topic: z.string() }) }) review({ topic }: { topic: string }) {
    return `Review ${topic}.`
  }
}

// As `herma-gen` writes it, see gen/round-trip.test.ts.
const schemas = {
  add: {
    kind: 'tool',
    description: 'Adds days.',
    parameters: ['day', 'days'],
    input: {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date-time', $comment: 'Date' },
        days: { type: 'number', default: 1 },
      },
      required: ['day'],
    },
    output: {
      type: 'object',
      properties: { result: { type: 'string', format: 'date-time', $comment: 'Date' } },
      required: ['result'],
    },
    isWrapped: true,
  },
} as const

@generated(schemas)
class Calendar {
  @tool.auto() add(day: Date, days = 1): Date {
    return new Date(day.getTime() + days * 86_400_000)
  }
}

describe('a decorated instance that a server was given', () => {
  test('is served to clients of every revision', async () => {
    await matrix(server({ name: 'notes', version: '1.0.0' }).add(new Notes()), async (t) => {
      expect((await t.list('tool')).toSorted()).toEqual(['count', 'save'])
      expect(await t.list('template')).toEqual(['note://{id}'])
      expect((await t.callAny('save', { id: 'a' })).text).toBe('saved by tools/call')
      expect((await t.call('count')).value).toEqual({ count: 1 })
      expect((await t.read('note://a')).text).toBe('empty')
      expect((await t.prompt('review', { topic: 'tea' })).text).toBe('Review tea.')
      expect(await t.callAny('save', { id: 1 })).toMatchObject({ isError: true })
    })
  })

  test('has dates where its types have them, and texts on the wire', async () => {
    await using t = await connect(server({ name: 'calendar', version: '1.0.0' }).add(new Calendar()))
    const called = await t.callAny('add', { day: '2026-02-28T00:00:00Z' })
    expect(called.raw.structuredContent).toEqual({ result: '2026-03-01T00:00:00.000Z' })
    expect(called.text).toBe('2026-03-01T00:00:00.000Z')
    const refused = await t.callAny('add', { day: 'today' })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('date-time') })
  })
})
