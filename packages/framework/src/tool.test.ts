import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeTool, runTool, type Tool } from './tool.ts'

const { signal } = new AbortController()
const input = z.object({ text: z.string().default('hey') })
const shout: Tool<typeof input> = {
  name: 'shout',
  description: 'Says it louder.',
  input,
  run: ({ text }) => text.toUpperCase(),
}

test('a tool gets its arguments with the defaults of its schema filled in', async () => {
  expect(await runTool(shout, {}, signal)).toEqual({ content: [{ type: 'text', text: 'HEY' }] })
})

test('an error thrown by a tool becomes a result the model can read', async () => {
  const broken: Tool<typeof input> = { ...shout, run: () => Promise.reject(new Error('The printer is on fire.')) }

  expect(await runTool(broken, {}, signal)).toEqual({
    content: [{ type: 'text', text: 'The printer is on fire.' }],
    isError: true,
  })
})

test('a schema that is not an object is refused when the tool is described', () => {
  expect(() => describeTool({ ...shout, input: z.string(), run: () => '' })).toThrow(
    /input of tool 'shout' must be an object schema/,
  )
})

test('a field with a default is not required of callers', () => {
  expect(describeTool(shout).inputSchema).not.toHaveProperty('required')
})
