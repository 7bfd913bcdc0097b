import { expect, test } from 'vitest'
import { prompt } from './prompt.ts'
import { tool } from './tool.ts'

test.each([tool, prompt])('a decorator without parentheses says so (%#)', (decorator) => {
  const bare = decorator as unknown as (method: unknown, context: object) => unknown
  expect(() => bare(function add() {}, { kind: 'method', name: 'add' })).toThrow(/before add without parentheses/)
})
