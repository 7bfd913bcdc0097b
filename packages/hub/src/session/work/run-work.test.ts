import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '@herma/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { CommitJournal } from '../../workspace/commit/commit-journal.ts'
import { Stage, type Workspace } from '../../workspace/index.ts'
import { StageFigures } from '../../workspace/stage/stage-figures.ts'
import { createFaultyDisk } from '../../workspace/testing/faulty-disk.ts'
import { inTurn } from '../turn/testing/test-turn.ts'
import { runWork } from './run-work.ts'
import { startBench, type WorkBench } from './testing/start-bench.ts'
import { addServer, done, lastResults, workRequest, write } from './testing/work-request.ts'
import type { WorkRequest } from './types.ts'

let bench: WorkBench

beforeEach(async () => {
  bench = await startBench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const request = (more: Partial<WorkRequest> = {}) => workRequest(bench, more)
const eventOf = (kind: string) => bench.events.find((event) => event.kind === kind)

test('changes are seen by the turn at once, shown as a diff, and written together at its end', async () => {
  await bench.write({ 'a.txt': 'one\n', 'old.txt': 'old\n' })
  let onDisk: string | null = ''
  bench.llm.script = inTurn(
    {
      toolCalls: [
        { name: 'edit_file', arguments: { path: 'a.txt', old_text: 'one', new_text: 'two' } },
        { name: 'write_file', arguments: { path: 'src/new.txt', text: 'new\n' } },
        { name: 'move_file', arguments: { from: 'old.txt', to: 'moved.txt' } },
      ],
    },
    {
      toolCalls: [
        { name: 'read_file', arguments: { path: 'a.txt' } },
        { name: 'list_files', arguments: {} },
      ],
    },
    done,
  )
  const ask = request({
    onEvent: (event) => {
      if (event.type === 'diff') void bench.read('a.txt').then((text) => (onDisk = text))
      ask.told.push(event)
    },
  })
  const result = await runWork(ask, bench.outside)
  expect(lastResults(bench).slice(-2)).toEqual(['two\n', 'a.txt\nmoved.txt\nsrc/'])
  expect(result).toMatchObject({
    committed: true,
    route: 'openai',
    hadEffect: false,
    filesRead: ['a.txt'],
    text: 'Done.',
  })
  expect(result.changes.map(({ path, kind }) => `${kind} ${path}`).toSorted()).toEqual([
    'added moved.txt',
    'added src/new.txt',
    'modified a.txt',
    'removed old.txt',
  ])
  expect(result.diff).toContain('-one\n+two')
  expect(ask.told.some((event) => event.type === 'diff' && event.diff === result.diff)).toBe(true)
  expect(onDisk).toBe('one\n')
  expect([await bench.read('a.txt'), await bench.read('src/new.txt'), await bench.read('old.txt')]).toEqual([
    'two\n',
    'new\n',
    null,
  ])
  expect(eventOf('route.chosen')).toMatchObject({
    session: 'ada',
    route: 'openai',
    data: { because: 'there are no rules' },
  })
  expect(eventOf('turn.finished')).toMatchObject({
    session: 'ada',
    route: 'openai',
    outcome: 'ok',
    traceId: ask.workContext.traceId,
    parentId: ask.workContext.spanId,
    data: { committed: true, finish: 'stop', steps: 3, toolCalls: 5 },
  })
  expect(bench.health.describe('session-1', { isEnabled: true, unready: null })).toMatchObject({
    state: 'healthy',
    running: 0,
  })
})

test('edits of one step build on each other, and a wrong one is explained to the model', async () => {
  await bench.write({ 'a.txt': 'x x y\n' })
  const edit = (old_text: string, new_text: string, more = {}) => ({
    name: 'edit_file',
    arguments: { path: 'a.txt', old_text, new_text, ...more },
  })
  bench.llm.script = inTurn(
    {
      toolCalls: [
        edit('y', 'z'),
        edit('x', 'w'),
        edit('q', 'w'),
        edit('x', '$&', { replace_all: true }),
        { name: 'write_file', arguments: { path: '../out.txt', text: '' } },
        { name: 'read_file', arguments: { path: 'missing.txt' } },
      ],
    },
    done,
  )
  await runWork(request(), bench.outside)
  expect(lastResults(bench)).toEqual([
    "'a.txt' is changed.",
    "old_text occurs 2 times in 'a.txt'. Give more of what is around it.",
    "old_text does not occur in 'a.txt'. Read the file again.",
    "'a.txt' is changed in 2 places.",
    expect.stringMatching(/^'..\/out.txt' is refused: it is outside of /),
    expect.stringMatching(/^There is no file 'missing.txt'/),
  ])
  expect(await bench.read('a.txt')).toBe('$& $& z\n')
  expect(eventOf('workspace.refused')).toMatchObject({
    session: 'ada',
    outcome: 'refused',
    data: { path: '../out.txt', reason: 'outside' },
  })
})

test('globs of a call say what may be written, by where a path really leads', async () => {
  await bench.write({ 'src/a.ts': 'a\n' })
  bench.llm.script = inTurn(
    { toolCalls: [write('src/../b.ts', 'b').toolCalls[0]!, write('src/./a.ts', 'c\n').toolCalls[0]!] },
    done,
  )
  const result = await runWork(request({ writeGlobs: ['src/**/*.ts'] }), bench.outside)
  expect(result.changes.map(({ path }) => path)).toEqual(['src/a.ts'])
  expect(lastResults(bench)[0]).toBe(
    "'src/../b.ts' may not be written: this call allows src/**/*.ts. Change only such files.",
  )
})

test('what was committed stays done when the copy of its tests cannot be removed', async () => {
  await bench.write({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'a.test.js': '' })
  const { copyFolder } = bench.outside.machine
  addServer(bench, {
    connector: 'disk',
    annotations: { readOnlyHint: true },
    async run() {
      await rename(copyFolder, `${copyFolder}-moved`)
      await writeFile(copyFolder, 'no folder any more')
      return { content: [] }
    },
  })
  const use = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
  bench.llm.script = inTurn(write('a.txt', 'a'), use('run_tests'), use('disk__tool'), done)
  expect(await runWork(request(), bench.outside)).toMatchObject({ committed: true, toolCalls: 3 })
  expect(await readFile(copyFolder, 'utf8')).toBe('no folder any more')
  expect(await bench.read('a.txt')).toBe('a')
})

test('a commit that could be neither finished nor undone counts as an effect, another that failed does not', async () => {
  for (const [faults, hadEffect] of [
    [{ crashAt: 6 }, true],
    [{ failAt: 6 }, false],
  ] as const) {
    const folder = join(bench.outside.machine.testFolder, 'journal')
    const journal = new CommitJournal({ folder, log: createLog('silent'), disk: createFaultyDisk(faults) })
    const stage = (workspace: Workspace) => new Stage(workspace, { journal, figures: new StageFigures() })
    const workspaces = { open: bench.outside.workspaces.open.bind(bench.outside.workspaces), stage }
    bench.llm.script = inTurn(write('a.txt', 'a'), done)
    await expect(runWork(request(), { ...bench.outside, workspaces })).rejects.toMatchObject({
      code: 'COMMIT_FAILED',
      hadEffect,
    })
  }
})

test('a dry run, an unfinished turn and a failed one leave the files as they were', async () => {
  bench.llm.script = inTurn(write('a.txt', 'a'), done)
  expect(await runWork(request({ isDryRun: true }), bench.outside)).toMatchObject({
    committed: false,
    whyNotCommitted: 'it was a dry run',
    diff: expect.stringContaining('+a') as string,
  })
  bench.llm.script = inTurn(write('a.txt', 'a'))
  expect(await runWork(request({ limits: { maxSteps: 2 } }), bench.outside)).toMatchObject({
    finish: 'steps',
    committed: false,
    whyNotCommitted: 'the work is unfinished (steps)',
  })
  bench.llm.script = inTurn(write('a.txt', 'a'), { status: 401 })
  const failed = await runWork(request(), bench.outside).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'PROVIDER_UNAUTHORIZED', hadEffect: false })
  expect(await readdir(bench.folder)).toEqual([])
  expect(bench.health.describe('session-1', { isEnabled: true, unready: null })).toMatchObject({ failures: 1 })
})

test('a file that somebody else changed meanwhile stops the commit, and nothing is written', async () => {
  await bench.write({ 'a.txt': 'one\n' })
  bench.llm.script = inTurn(
    { toolCalls: [...write('a.txt', 'mine').toolCalls, ...write('b.txt', 'mine').toolCalls] },
    done,
  )
  const failed = await runWork(
    request({
      async approve() {
        await bench.write({ 'a.txt': 'theirs\n' })
        return 'once'
      },
      session: bench.session({ tools: { approval: 'writes' } }),
    }),
    bench.outside,
  ).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'WORKSPACE_CONFLICT', hadEffect: false })
  expect([await bench.read('a.txt'), await bench.read('b.txt')]).toEqual(['theirs\n', null])
})

test.each(['waiting', 'model', 'tool', 'approval', 'commit'] as const)(
  'a cancel while it is at %s leaves no file, no request and no turn behind',
  async (phase) => {
    const controller = new AbortController()
    const stop = () => controller.abort(new HubError('CANCELLED', 'The client gave up.'))
    addServer(bench, {
      connector: 'slow',
      run({ signal }) {
        if (phase !== 'tool') return { content: [] }
        setImmediate(stop)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      },
    })
    bench.llm.script = inTurn(
      { toolCalls: [...write('a.txt', 'a').toolCalls, { name: 'slow__tool', arguments: {} }] },
      () => {
        if (phase === 'model') setImmediate(stop)
        return phase === 'model' ? { delayMs: 5000, text: 'never' } : done
      },
    )
    const approval = phase === 'approval' || phase === 'commit' ? 'writes' : 'never'
    const session = bench.session({ limits: { maxConcurrency: 1 }, tools: { approval, approved: ['slow__tool'] } })
    const ask = request({
      session,
      workContext: bench.workContext({ signal: controller.signal }),
      approve: (_call, signal) => {
        stop()
        // A person who answers too late has said nothing.
        return phase === 'commit'
          ? Promise.resolve('once')
          : new Promise((_, reject) => {
              if (signal.aborted) reject(signal.reason as Error)
              signal.addEventListener('abort', () => reject(signal.reason as Error))
            })
      },
    })
    const release =
      phase === 'waiting'
        ? await bench.outside.turns.enter({ ...session, limit: 1, signal: bench.workContext().signal })
        : null
    const running = runWork(ask, bench.outside)
    if (phase === 'waiting') stop()
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
    release?.()
    await bench.llm.until(() => bench.llm.open === 0)
    expect(await readdir(bench.folder)).toEqual([])
    expect(bench.outside.turns.running(session.id)).toBe(0)
    expect(bench.health.describe(session.id, { isEnabled: true, unready: null })).toMatchObject({
      failures: 0,
      running: 0,
    })
    // One that never began has nothing to tell.
    expect(eventOf('turn.finished')?.outcome).toBe(phase === 'waiting' ? undefined : 'cancelled')
  },
)
