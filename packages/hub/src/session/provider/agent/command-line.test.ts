import { expect, test } from 'vitest'
import { toCommandLine } from './command-line.ts'

const known = { prompt: 'Fix {cwd}', cwd: '/work', sessionId: 's1', threadId: 't1' }

test('agents that we know are started so that they tell what they do, with the prompt on standard input', () => {
  expect(toCommandLine({ ...known, dialect: 'codex', model: 'gpt-5' })).toEqual({
    file: 'codex',
    args: ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write', '--model', 'gpt-5', '-'],
    input: 'Fix {cwd}',
  })
  expect(toCommandLine({ ...known, dialect: 'claude', model: '' })).toEqual({
    file: 'claude',
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
    input: 'Fix {cwd}',
  })
})

test('tokens become values, once', () => {
  const args = ['--in={cwd}', '{session_id}/{thread_id}', '{prompt}', '{other}']
  expect(toCommandLine({ ...known, dialect: 'text', command: 'agent', args })).toEqual({
    file: 'agent',
    args: ['--in=/work', 's1/t1', 'Fix {cwd}', '{other}'],
    input: null,
  })
})

test('a prompt does not become an option', () => {
  const options = { ...known, dialect: 'text', command: 'agent', args: ['{prompt}'], prompt: '--yolo' } as const
  expect(toCommandLine(options).args).toEqual([' --yolo'])
})

test.each([
  [{ command: undefined }, 'needs a command'],
  [{ args: ['{model}'] }, 'hold {model}'],
  [{ args: ['{prompt}'], prompt: 'a\0b' }, 'NUL'],
])('%j is refused', (more, text) => {
  expect(() => toCommandLine({ ...known, dialect: 'text', command: 'agent', ...more })).toThrow(text)
})
