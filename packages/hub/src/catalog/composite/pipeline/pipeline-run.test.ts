import { Pipeline } from '@herma/contract'
import { expect, test } from 'vitest'
import type { Composite } from '../aggregate/create-aggregate.ts'
import { createPipeline } from './create-pipeline.ts'
import { createScriptedContext } from '../testing/scripted-context.ts'

const ok = { content: [{ type: 'text', text: 'ok' }] }

function create(definition: Record<string, unknown>): Composite {
  const pipeline = Pipeline.parse({ name: 'flow', description: 'Does things.', ...definition })
  return createPipeline({ ...pipeline, origin: 'catalog/test.json' }, { describeMember: () => undefined })
}

test('at most eight calls run at once, in groups and lists together', async () => {
  const each = (id: string) => ({ id, tool: 't', forEach: '{{ input.items }}' })
  const tool = create({ steps: [{ parallel: [each('a'), each('b'), { id: 'c', tool: 't' }] }] })
  const context = createScriptedContext({ t: ok })
  await tool.run({ items: Array.from({ length: 30 }, (_, index) => index) }, context)
  expect(context.sent).toHaveLength(61)
  expect(context.peak()).toBe(8)
})

test('after an item that must not fail no other one begins', async () => {
  const tool = create({ steps: [{ id: 'a', tool: 't', forEach: '{{ input.items }}' }] })
  const bad = { ...ok, isError: true }
  const context = createScriptedContext({ t: [ok, bad, ...Array.from({ length: 98 }, () => ok)] })
  const result = await tool.run({ items: Array.from({ length: 100 }, (_, index) => index) }, context)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('item 2: ok') }] })
  expect(context.sent.length).toBeLessThan(20)
})

test('a list of more than a thousand is refused before the first call', async () => {
  const tool = create({ steps: [{ id: 'a', tool: 't', forEach: '{{ input.items }}' }] })
  const context = createScriptedContext({ t: ok })
  const result = await tool.run({ items: Array.from({ length: 1001 }, () => 0) }, context)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('1001 items') }] })
  expect(context.sent).toEqual([])
})

test('a run makes a limited number of calls', async () => {
  const each = (id: string) => ({ id, tool: 't', forEach: '{{ input.items }}' })
  const tool = create({ steps: ['a', 'b', 'c', 'd', 'e', 'f'].map(each) })
  const context = createScriptedContext({ t: ok })
  const result = await tool.run({ items: Array.from({ length: 1000 }, () => 0) }, context)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('at most 5000 calls') }] })
  expect(context.sent).toHaveLength(5000)
})

test('progress is told before the first call, only rises, and ends at the number of steps', async () => {
  const tool = create({
    steps: [
      { id: 'a', tool: 't' },
      {
        parallel: [
          { id: 'b', tool: 't', forEach: [1, 2, 3] },
          { id: 'c', tool: 't', when: { value: false } },
        ],
      },
    ],
  })
  const context = createScriptedContext({ t: ok })
  await tool.run({}, context)
  const steps = context.told.map(({ done }) => done)
  expect(steps).toHaveLength(6)
  expect(steps[0]).toBe(0)
  expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b))
  expect(context.told.at(-1)).toMatchObject({ done: 3, total: 3 })
})

test('the time of the whole ends a step that does not', async () => {
  const tool = create({
    timeoutSeconds: 0.05,
    steps: [
      { id: 'a', tool: 't' },
      { id: 'b', tool: 't' },
    ],
  })
  const context = createScriptedContext({ t: ok })
  const stuck = { ...context, call: () => new Promise<never>(() => {}) }
  const result = await tool.run({}, stuck)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('0.05 seconds') }] })
})

test('nothing begins any more when the time is over', async () => {
  const tool = create({ timeoutSeconds: 0.05, steps: [{ id: 'a', tool: 't', forEach: '{{ input.items }}' }] })
  const context = createScriptedContext({ t: ok })
  let begun = 0
  const settles: (() => void)[] = []
  const call = () => {
    begun++
    return new Promise<typeof ok>((resolve) => settles.push(() => resolve(ok)))
  }
  const result = await tool.run({ items: Array.from({ length: 20 }, () => 0) }, { ...context, call })
  expect(result.isError).toBe(true)
  for (const settle of settles) settle()
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toBe(8)
})

test('a client that goes away ends the run', async () => {
  const gone = new AbortController()
  const tool = create({
    steps: [
      { id: 'a', tool: 't', onError: 'continue' },
      { id: 'b', tool: 't' },
    ],
  })
  const context = createScriptedContext({ t: ok }, { signal: gone.signal })
  let begun = 0
  const call = () => {
    begun++
    gone.abort(new Error('The client has gone.'))
    return new Promise<never>(() => {})
  }
  await expect(tool.run({}, { ...context, call })).rejects.toThrow('The client has gone.')
  expect(begun).toBe(1)
})

test('a client that has gone before makes no call', async () => {
  const tool = create({ steps: [{ id: 'a', tool: 't' }] })
  const context = createScriptedContext({ t: ok }, { signal: AbortSignal.abort(new Error('Gone.')) })
  await expect(tool.run({}, context)).rejects.toThrow('Gone.')
  expect(context.sent).toEqual([])
})

test('a fault of the hub itself is not an outcome of a step', async () => {
  const tool = create({ steps: [{ id: 'a', tool: 't', onError: 'continue' }] })
  const context = createScriptedContext({ t: ok })
  await expect(tool.run({}, { ...context, call: () => Promise.reject(new TypeError('bug')) })).rejects.toThrow('bug')
})

test('the result tells how long each step took', async () => {
  const tool = create({ steps: [{ id: 'a', tool: 't' }] })
  const result = await tool.run({}, createScriptedContext({ t: ok }))
  expect(result._meta).toEqual({
    'herma/steps': [{ id: 'a', tool: 't', outcome: 'done', calls: 1, ms: expect.any(Number) }],
  })
})
