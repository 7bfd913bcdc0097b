import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'

/** The model of the guides about teams: what it says there, whichever provider it plays. */
export function guideModel({ messages, system, tools }: FakeRequest): Reply {
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const isAnswering = messages.at(-1)?.role === 'tool'
  if (system.includes('Plan a task')) return { text: JSON.stringify(plan) }
  if (system.includes('Write code') && tools.includes('write_file')) {
    const name = asked.includes('multiply') ? 'multiply' : 'add'
    return isAnswering ? { text: `Added \`${name}\` with a test for it.` } : { toolCalls: filesOf[name] }
  }
  if (asked.includes('Which files')) {
    return isAnswering
      ? { text: 'Two: src/add.js and its test, src/add.test.js.' }
      : { toolCalls: [{ name: 'list_files', arguments: {} }] }
  }
  return { text: 'OK' }
}

const plan = {
  summary: 'Write the function first, then show that it works.',
  steps: [
    { title: 'Write add', detail: 'A function of two numbers in src/add.js.', role: 'code', depends_on: [] },
    { title: 'Test it', detail: 'Run the tests of the project.', role: 'test', depends_on: [1] },
  ],
  risks: ['Numbers that come as texts are put together, not added.'],
}

const code = 'export const add = (a, b) => a + b\n'
const checks = `import assert from 'node:assert'
import test from 'node:test'
import { add } from './add.js'

test('adds two numbers', () => assert.equal(add(2, 3), 5))
`
const filesOf = {
  add: [write('src/add.js', code), write('src/add.test.js', checks)],
  multiply: [
    write('src/multiply.js', code.replace('add', 'multiply').replace('+', '*')),
    write('src/multiply.test.js', checks.replaceAll('add', 'multiply').replace('5', '6')),
  ],
}

function write(path: string, text: string) {
  return { name: 'write_file', arguments: { path, text } }
}
