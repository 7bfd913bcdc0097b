import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findProcess } from '../../../platform/process/process-table.ts'
import { say } from '../../turn/testing/test-turn.ts'
import { runWork } from '../run-work.ts'
import { startBench, type WorkBench } from '../testing/start-bench.ts'
import { workRequest } from '../testing/work-request.ts'
import type { WorkRequest } from '../types.ts'

const agent = fileURLToPath(new URL('../../../../../../test/fixtures/fake-agent-cli/agent.mjs', import.meta.url))
let bench: WorkBench

beforeEach(async () => {
  bench = await startBench()
  await bench.write({ 'a.txt': 'one\n', '.env': 'KEY=secret\n' })
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const copies = () => readdir(bench.outside.machine.copyFolder)

/** Lets the agent do what is wished. */
function request(wish: Record<string, unknown>, more: Partial<WorkRequest> = {}) {
  const command = { dialect: 'codex' as const, cmd: process.execPath, args: [agent, 'exec', '--json', '-'] }
  return workRequest(bench, {
    session: bench.session({ provider: 'command', command }),
    messages: [say(`Go.\n#fake ${JSON.stringify(wish)}`)],
    ...more,
  })
}

test('a command works in a copy without secrets; its changes are committed at the end', async () => {
  const list = "require('fs')"
  const ask = request({ say: 'Changed.', files: { 'a.txt': 'two\n', 'src/b.txt': list } })
  const result = await runWork(ask, bench.outside)
  expect(result).toMatchObject({ route: 'command', text: 'Changed.', committed: true, hadEffect: true })
  expect(result.changes.map(({ path, kind }) => `${kind} ${path}`).toSorted()).toEqual([
    'added src/b.txt',
    'modified a.txt',
  ])
  expect([await bench.read('a.txt'), await bench.read('src/b.txt')]).toEqual(['two\n', list])
  expect(await copies()).toEqual([])
})

test('one file that may not be written refuses all changes', async () => {
  for (const [files, more] of [
    [{ 'a.txt': 'two\n', '.env': 'KEY=other\n' }, {}],
    [{ 'a.txt': 'two\n', 'b.txt': 'b' }, { writeGlobs: ['b.txt'] }],
  ] as const) {
    await expect(runWork(request({ files }, more), bench.outside)).rejects.toMatchObject({
      code: 'PATH_REFUSED',
      hadEffect: true,
    })
  }
  expect([await bench.read('a.txt'), await bench.read('.env'), await bench.read('b.txt')]).toEqual([
    'one\n',
    'KEY=secret\n',
    null,
  ])
})

test('what it writes where it may only read, or fails over, is thrown away', async () => {
  const files = { 'a.txt': 'two\n' }
  expect(await runWork(request({ files }, { needs: 'read', ability: 'code.advice' }), bench.outside)).toMatchObject({
    changes: [],
    diff: null,
  })
  await runWork(request({ files }, { needs: 'none', ability: 'chat' }), bench.outside)
  await expect(runWork(request({ files, crash: 3 }), bench.outside)).rejects.toMatchObject({ code: 'PROVIDER_FAILED' })
  expect(await bench.read('a.txt')).toBe('one\n')
  expect(await copies()).toEqual([])
})

test('a cancel ends the agent and all that it started, and leaves the files as they were', async () => {
  const controller = new AbortController()
  const pidFile = join(bench.folder, '..', 'grandchild')
  const ask = request(
    { files: { 'a.txt': 'two\n' }, hang: true, grandchild: pidFile },
    { workContext: bench.workContext({ signal: controller.signal }) },
  )
  const running = runWork(ask, bench.outside)
  running.catch(() => undefined)
  await expect.poll(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('')
  controller.abort(new HubError('CANCELLED', 'The client gave up.'))
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
  const pid = Number(await readFile(pidFile, 'utf8'))
  expect(findProcess(pid)).toBeUndefined()
  expect(await bench.read('a.txt')).toBe('one\n')
  expect(await copies()).toEqual([])
})

test('an answer that has to be JSON is asked for twice at most', async () => {
  const responseSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const right = await runWork(request({ say: '{"n": 1}' }, { needs: 'none', responseSchema }), bench.outside)
  expect(right.structured).toEqual({ n: 1 })
  const wrong = await runWork(request({ say: 'one' }, { needs: 'none', responseSchema }), bench.outside)
  expect(wrong).toMatchObject({
    text: 'one',
    steps: 2 * right.steps,
    usage: { inputTokens: 2 * right.usage.inputTokens },
  })
  expect(wrong.structured).toBeUndefined()
})

test('a thread is told as one text', async () => {
  const messages = [
    say('My name is Bo.'),
    { role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Hello Bo.' }] },
    say('Who am I?'),
  ]
  const { text } = await runWork(request({}, { needs: 'none', ability: 'chat', messages }), bench.outside)
  expect(text).toBe('Done: Who am I?')
})
