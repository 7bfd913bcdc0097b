import { readdir } from 'node:fs/promises'
import { abilitySchemas, Ability, type SessionInput } from '@herma/contract'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readArguments, type ToolResult } from '../../wire/index.ts'
import { inTurn } from '../turn/testing/test-turn.ts'
import { startBench, type FakeTool, type WorkBench } from '../work/testing/start-bench.ts'
import { runAbility, type AbilityCall } from './run-ability.ts'

let bench: WorkBench

beforeAll(async () => {
  bench = await startBench()
  await bench.write({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'src/sum.js': 'export function sum(a, b) {\n  return a + b\n}\n',
    'test/sum.test.js':
      "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from '../src/sum.js'\n" +
      "test('adds', () => assert.equal(sum(1, 2), 3))\ntest('is wrong', () => assert.equal(sum(1, 2), 4))\n",
  })
})
afterEach(() => {
  bench.bindings.length = 0
  bench.servers.clear()
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
})

/** Runs an ability and holds its answer against its schema. */
async function use(
  ability: Ability,
  args: Record<string, unknown>,
  more: Partial<Omit<AbilityCall, 'fields'>> & { readonly settings?: Partial<SessionInput> } = {},
) {
  const { settings, ...call } = more
  const fields = readArguments<Record<string, unknown>>(abilitySchemas[ability].input, args, ability)
  const result = await runAbility(
    bench.session(settings),
    { ability, fields, workContext: bench.workContext(), ...call },
    bench.outside,
  )
  const output: unknown = abilitySchemas[ability].output.strict().parse(result.structuredContent)
  return { result, output, text: textOf(result), request: bench.llm.requests.at(-1) }
}

function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => String(text)).join('\n')
}

function bind(connector: string, tool: Partial<FakeTool['descriptor']>, run: FakeTool['run']): void {
  bench.servers.set(connector, [{ descriptor: { name: 'tool', inputSchema: { type: 'object' }, ...tool }, run }])
  bench.bindings.push({ connector, allowedTools: null })
}

const json = (value: unknown) => ({ text: JSON.stringify(value) })
const words = (text: string): ToolResult => ({ content: [{ type: 'text', text }] })

test('code.advice reads what it needs and names it; it is offered no tool that writes', async () => {
  bench.llm.script = inTurn(
    { toolCalls: [{ name: 'read_file', arguments: { path: 'src/sum.js' } }] },
    { text: 'Use BigInt.' },
  )
  const heard: string[] = []
  const workContext = bench.workContext({
    progress: (_done, _total, message) => heard.push(message),
    partial: (text) => heard.push(text),
  })
  const { output, request, result } = await use(
    'code.advice',
    { question: 'How?', path_globs: ['src/**'] },
    { workContext },
  )
  expect(output).toEqual({ advice: 'Use BigInt.', files_read: ['src/sum.js'] })
  expect(request!.tools).toEqual(['list_files', 'read_file', 'search_code'])
  expect(request!.system).toContain(`Your workspace is the folder ${bench.folder}`)
  expect(request!.messages[0]!.text).toBe('How?\n\nLook first at: src/**')
  expect(heard.join('|')).toBe('finished a step|uses read_file|Use |BigInt.|finished a step')
  expect(result._meta).toMatchObject({
    'herma/work': { session: 'ada', route: 'openai', traceId: workContext.traceId },
  })
})

test('code.advice needs no workspace', async () => {
  bench.llm.script = inTurn({ text: 'Yes.' })
  const { output, request } = await use('code.advice', { question: 'Well?' }, { settings: { workingDir: null } })
  expect(output).toEqual({ advice: 'Yes.', files_read: [] })
  expect(request!.tools).toEqual([])
})

test('code.generate writes files, runs tests with its changes before they are on disk, and tells what it used', async () => {
  const spec = 'export function twice(a) {\n  return 2 * a\n}\n'
  const check =
    "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { twice } from '../src/twice.js'\n" +
    "test('doubles', () => assert.equal(twice(2), 4))\n"
  let before: string[] = []
  bench.llm.script = inTurn(
    {
      toolCalls: [
        { name: 'write_file', arguments: { path: 'src/twice.js', text: spec } },
        { name: 'write_file', arguments: { path: 'test/twice.test.js', text: check } },
      ],
    },
    { toolCalls: [{ name: 'run_tests', arguments: { paths: ['test/twice.test.js'] } }] },
    ({ messages }) => {
      before = [messages.findLast(({ role }) => role === 'tool')!.text]
      return { text: 'Written.' }
    },
  )
  const { output, text, request } = await use('code.generate', {
    spec: 'Double it.',
    path_globs: ['src/**', 'test/**'],
    test_expectations: 'twice(2) is 4',
  })
  expect(before).toEqual(['node: 1 of 1 passed, 0 failed, 0 skipped'])
  expect(output).toMatchObject({
    summary: 'Written.',
    committed: true,
    changes: [
      { path: 'src/twice.js', kind: 'added' },
      { path: 'test/twice.test.js', kind: 'added' },
    ],
    usage: { input_tokens: 30, output_tokens: 15, total_tokens: 45, cost_usd: null },
  })
  expect(text).toContain('added src/twice.js')
  expect(request!.messages[0]!.text).toContain('Tests have to show this:\ntwice(2) is 4')
  expect(await bench.read('src/twice.js')).toBe(spec)
  expect(await readdir(bench.outside.machine.copyFolder)).toEqual([])
})

test('tests.generate wants to know what to test, and a dry run writes nothing', async () => {
  await expect(use('tests.generate', {})).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  bench.llm.script = inTurn(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'test/more.test.js', text: '// more\n' } }] },
    { text: 'Tests.' },
  )
  const { output, request } = await use('tests.generate', {
    paths: ['src/sum.js'],
    framework: 'node',
    expectations: 'all',
    options: { dry_run: true },
  })
  expect(output).toMatchObject({ committed: false, diff: expect.stringContaining('+// more') as string })
  expect((output as { summary: string }).summary).toBe('Tests.\n\nNothing was written: it was a dry run.')
  expect(request!.messages[0]!.text).toBe(
    'Write tests for these files: src/sum.js\n\nUse node.\n\nThey have to show this:\nall',
  )
  expect(await bench.read('test/more.test.js')).toBeNull()
})

test('tests.run runs tests without a model; those that fail are an answer, not an error', async () => {
  const asked = bench.llm.requests.length
  const { output, text, result } = await use('tests.run', { paths: ['test/sum.test.js'], framework: 'node:test' })
  expect(output).toMatchObject({
    ok: false,
    framework: 'node',
    counts: { total: 2, passed: 1, failed: 1, skipped: 0 },
    failures: [{ name: 'is wrong' }],
  })
  expect(result.isError).toBeUndefined()
  expect(text).toContain('node: 1 of 2 passed, 1 failed')
  expect(bench.llm.requests.length).toBe(asked)
  await expect(use('tests.run', { paths: ['../x'] })).rejects.toMatchObject({ code: 'PATH_REFUSED' })
  await expect(use('tests.run', { framework: 'nope' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test('of a flood of tests.run a client hears the beginning, and gets the end', async () => {
  const flood =
    "import { test } from 'node:test'\ntest('a', () => { for (let i = 0; i < 200_000; i++) console.log('line ' + i) })\n"
  await bench.write({ 'flood/flood.test.js': flood })
  let told = ''
  const workContext = bench.workContext({ partial: (text) => void (told += text) })
  const { output } = await use('tests.run', { paths: ['flood/flood.test.js'] }, { workContext })
  expect(output).toMatchObject({ ok: true, truncated: true, output: expect.stringContaining('line 199999') })
  expect(told).toContain('line 0\n')
  expect(told).toMatch(/More is not told while the tests run\.\)\n$/)
  expect(told.length).toBeLessThan(300_000)
})

test('search.code searches without a model, also in a session that has none', async () => {
  const settings: Partial<SessionInput> = {
    provider: 'mcp',
    routes: [{ abilities: ['chat'], use: { connector: 'x', tool: 'y' } }],
  }
  const { output, text } = await use(
    'search.code',
    { query: 'sum', path_globs: ['src/**'], whole_word: true },
    { settings },
  )
  expect(output).toMatchObject({
    files: [{ path: 'src/sum.js', is_named: true, matches: [{ line: 1, is_definition: true }] }],
    total_matches: 1,
    truncated: false,
  })
  expect(text).toContain('src/sum.js:1: export function sum(a, b) {')
  await expect(use('search.code', { query: '(', is_regex: true })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

const plan = {
  summary: 'Two steps.',
  steps: [
    { title: 'Write', detail: 'the code', role: 'code', depends_on: [] },
    { title: 'Test', detail: 'it', role: null, depends_on: [1] },
  ],
  risks: ['Time.'],
}

test('plan.task answers in its form; a model that does not is told once, and then failed', async () => {
  bench.llm.script = inTurn({ text: 'First, write.' }, json(plan))
  const { output, text } = await use('plan.task', { goal: 'Ship it', constraints: ['today', 'safely'] })
  expect(output).toEqual(plan)
  expect(text).toBe('Two steps.\n\n1. Write (code): the code\n2. Test [after 1]: it\n\nRisks:\n- Time.')
  bench.llm.script = inTurn({ text: 'First, write.' })
  await expect(use('plan.task', { goal: 'Ship it' })).rejects.toMatchObject({ code: 'PROVIDER_FAILED' })
})

test('review.changes reviews the diff that it was given', async () => {
  const review = {
    verdict: 'request_changes',
    summary: 'Almost.',
    findings: [{ severity: 'major', path: 'a.js', line: 3, message: 'Leaks.', suggestion: 'Close it.' }],
  }
  bench.llm.script = inTurn(json(review))
  const { output, text, request } = await use('review.changes', { diff: '+leak()', focus: 'leaks' })
  expect(output).toEqual(review)
  expect(text).toBe('request_changes: Almost.\n[major] a.js:3: Leaks.\n  Suggestion: Close it.')
  expect(request!.messages[0]!.text).toBe('Look most at this: leaks\n\nReview this diff:\n\n+leak()')
  await expect(use('review.changes', { diff: 'x', base: 'HEAD' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test('search.web asks the bound tool that looks like a search, and lets the model look deeper on request', async () => {
  const found = { title: 'Cats', url: 'https://example.com/', snippet: 'They purr.' }
  const seen: unknown[] = []
  bind('brave', { name: 'brave_web_search', inputSchema: { type: 'object', properties: { q: {} } } }, (call) => {
    seen.push(call.arguments)
    return words(`Title: Cats\nURL: https://example.com/\nDescription: They purr.`)
  })
  const quick = await use('search.web', { query: 'cats' })
  expect(quick.output).toEqual({ answer: null, results: [found] })
  expect(seen).toEqual([{ q: 'cats' }])
  expect(quick.result._meta).toMatchObject({ 'herma/work': { route: 'mcp:stdio' } })
  bench.llm.script = inTurn(
    { toolCalls: [{ name: 'brave__brave_web_search', arguments: { q: 'cats purr' } }] },
    json({ answer: 'They do.', results: [found] }),
  )
  const deep = await use('search.web', { query: 'cats', depth: 2 })
  expect(deep.output).toEqual({ answer: 'They do.', results: [found] })
  expect(seen).toEqual([{ q: 'cats' }, { q: 'cats purr' }])
})

test('what a session does not offer is refused, and it says what it does', async () => {
  await expect(use('search.web', { query: 'cats' })).rejects.toThrow(
    "'ada' does not offer search.web; it offers code.advice, code.generate, tests.generate, tests.run, search.code, plan.task, review.changes.",
  )
  const narrow = use('code.generate', { spec: 'x' }, { settings: { abilities: ['code.advice'] } })
  await expect(narrow).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  await expect(use('code.advice', { question: 'x' }, { settings: { enabled: false } })).rejects.toMatchObject({
    code: 'SESSION_UNREADY',
  })
})

test('wrong arguments are named', async () => {
  await expect(use('code.advice', { question: '', colour: 'red' })).rejects.toThrow(
    /^code.advice cannot be called like this. question: .*; arguments: .*"colour"/,
  )
})

test.each(Ability.options.filter((ability) => ability !== 'search.web'))(
  '%s can be answered by a tool, in its own form or in words',
  async (ability) => {
    const settings: Partial<SessionInput> = {
      provider: 'mcp',
      routes: [{ abilities: [ability], use: { connector: 'desk', tool: 'tool', arguments: { text: '{input}' } } }],
    }
    const args: Partial<Record<Ability, Record<string, unknown>>> = {
      'code.advice': { question: 'q' },
      'code.generate': { spec: 's' },
      'tests.generate': { target: 't' },
      'search.code': { query: 'q' },
      'plan.task': { goal: 'g' },
      'review.changes': { diff: 'd' },
    }
    bind('desk', {}, () => words('In words.'))
    const inWords = await use(ability, args[ability] ?? {}, { settings })
    expect(inWords.text).toContain('In words.')
    bench.bindings.length = 0
    bind('desk', {}, () => ({ ...words('In its form.'), structuredContent: inWords.output }))
    expect((await use(ability, args[ability] ?? {}, { settings })).output).toEqual(inWords.output)
  },
)

test('a team gives the folder and the policy', async () => {
  const place = { defaultCwd: `${bench.folder}/src`, policy: { roots: [bench.folder], denied: ['sum.js'] } }
  const { output } = await use('search.code', { query: 'sum' }, { place, settings: { workingDir: null } })
  expect(output).toMatchObject({ total_matches: 0 })
})
