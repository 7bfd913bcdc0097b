import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcessWatchdog } from '../../../platform/process/process-watchdog.ts'
import { createLog } from '../../../platform/log.ts'
import { isAlive } from '../../../platform/process/process-tree.ts'
import { limits } from '../../turn/testing/test-turn.ts'
import type { TurnEvent } from '../../turn/types.ts'
import { runCommandTurn, type CommandTurn } from './run-command-turn.ts'

const agent = fileURLToPath(new URL('../../../../../../test/fixtures/fake-agent-cli/agent.mjs', import.meta.url))
const watchdog = startProcessWatchdog()
const outside = { watchdog, log: createLog('silent') }
let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'herma-agent-'))
})
afterAll(async () => {
  watchdog.stop()
  await rm(cwd, { recursive: true, force: true })
})

const codexArgs = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write', '-']
const claudeArgs = ['-p', '--output-format', 'stream-json', '--verbose']
const argsOf = { codex: codexArgs, claude: claudeArgs, text: [] }

function turnOf(dialect: CommandTurn['dialect'], wish: object, more: Partial<CommandTurn> = {}) {
  const events: TurnEvent[] = []
  const turn: CommandTurn = {
    dialect,
    command: process.execPath,
    args: [agent, ...argsOf[dialect]],
    prompt: `Do it.\n#fake ${JSON.stringify(wish)}`,
    instructions: 'Be careful.',
    cwd,
    env: {},
    limits,
    pricing: null,
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
    ...more,
  }
  return { turn, events }
}

const run = (...options: Parameters<typeof turnOf>) => runCommandTurn(turnOf(...options).turn, outside)
const types = (events: readonly TurnEvent[]) => events.map(({ type }) => type)

describe.each(['codex', 'claude'] as const)('%s', (dialect) => {
  test('an agent works in its folder, and what it tells becomes events, usage and cost', async () => {
    const wish = { say: 'All done.', think: 'Hm.', files: { [`${dialect}/a.txt`]: 'hello' }, junk: true }
    const { turn, events } = turnOf(dialect, wish)
    const result = await runCommandTurn(turn, outside)
    expect(await readFile(join(cwd, dialect, 'a.txt'), 'utf8')).toBe('hello')
    expect(result).toMatchObject({
      text: 'All done.',
      finish: 'stop',
      hadEffect: true,
      commandThreadId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, totalTokens: 120 },
      messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'All done.' }] }],
    })
    expect(result.costUsd).toBe(dialect === 'claude' ? 0.0123 : null)
    expect(result.toolCalls).toBe(dialect === 'claude' ? 1 : 2)
    const calls = types(events).filter((type) => type === 'tool-call')
    expect(types(events).filter((type) => type === 'tool-result')).toEqual(calls.map(() => 'tool-result'))
    expect(types(events)).toEqual(expect.arrayContaining(['reasoning-delta', 'text-delta', 'step-finished']))
  })

  test.each([
    [
      { crash: 3, stderr: 'no sign-in: key-of-the-agent-123' },
      'PROVIDER_FAILED',
      'code 3 before it was done: no sign-in',
    ],
    [{ crash: 0, stderr: 'bye' }, 'PROVIDER_FAILED', 'code 0 before'],
    [
      { fail: 'Rate limited.', status: 429 },
      dialect === 'claude' ? 'PROVIDER_OVERLOADED' : 'PROVIDER_FAILED',
      'Rate limited.',
    ],
  ])('an agent that does not end well (%j) is an error, and may have had an effect', async (wish, code, text) => {
    const error = await run(dialect, wish, { env: { AGENT_KEY: 'key-of-the-agent-123' } }).catch(
      (failure: Error) => failure,
    )
    expect(error).toMatchObject({ name: 'TurnError', code, hadEffect: true, message: expect.stringContaining(text) })
    expect((error as Error).message).not.toContain('key-of-the-agent')
  })

  test('an agent that does too much is stopped', async () => {
    const wish = { steps: 50, hang: true }
    const result = await run(dialect, wish, { limits: { ...limits, maxSteps: 3 } })
    expect(result).toMatchObject({ finish: 'steps', hadEffect: true })
  })
})

test('the tokens and the cost of an agent are limited while it works', async () => {
  const wish = { steps: 20, hang: true, usage: { input: 1000, output: 0, cached: 0 } }
  expect(await run('claude', wish, { limits: { ...limits, maxSteps: 500, maxTokens: 5000 } })).toMatchObject({
    finish: 'tokens',
  })
  const pricing = { inputPerMillion: 1_000_000, outputPerMillion: 0 }
  const dear = { limits: { ...limits, maxSteps: 500, maxTokens: 1e9, maxCostUsd: 3000 }, pricing }
  expect(await run('claude', wish, dear)).toMatchObject({ finish: 'cost' })
})

test('the answer of an agent that prints text is all that it prints', async () => {
  const { turn, events } = turnOf('text', { say: 'Grüße' })
  const result = await runCommandTurn(turn, outside)
  expect(result).toMatchObject({ text: 'Working…\nGrüße', finish: 'stop', usage: { isEstimated: true } })
  expect(types(events)).toContain('text-delta')
})

test.each(['hang', 'isDeaf'])('a cancelled agent that would %s leaves no process behind', async (how) => {
  const file = join(cwd, `grandchild-${how}`)
  const controller = new AbortController()
  const { turn } = turnOf('codex', { grandchild: file, hang: true, [how]: true }, { signal: controller.signal })
  const running = runCommandTurn(turn, outside)
  // The failure is looked at below; until then nobody may call it unhandled.
  running.catch(() => undefined)
  await expect.poll(() => existsSync(file) && Number(readOrEmpty(file)), { timeout: 20_000 }).toBeGreaterThan(1)
  const grandchild = Number(await readFile(file, 'utf8'))
  expect(isAlive(grandchild)).toBe(true)
  controller.abort()
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED', hadEffect: true })
  expect(isAlive(grandchild)).toBe(false)
})

test('what an agent left running ends with it', async () => {
  const file = join(cwd, 'left-behind')
  await run('claude', { grandchild: file })
  // The shell may have been ended before it wrote down the id.
  const pid = Number(readOrEmpty(file))
  expect(pid > 1 && isAlive(pid)).toBe(false)
})

test('an agent that takes too long is stopped', async () => {
  const running = run('codex', { hang: true }, { limits: { ...limits, timeoutMs: 400 } })
  await expect(running).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT', hadEffect: true })
})

test('an agent gets the usual variables and those that it is given, and no other', async () => {
  const file = join(cwd, 'names')
  process.env['HERMA_TEST_SECRET'] = 'x'
  await run('text', { env: file }, { env: { AGENT_KEY: 'key' } })
  delete process.env['HERMA_TEST_SECRET']
  const names = (await readFile(file, 'utf8')).split('\n')
  expect(names).toEqual(expect.arrayContaining(['PATH', 'AGENT_KEY']))
  expect(names).not.toContain('HERMA_TEST_SECRET')
})

test('an agent that is not there did nothing', async () => {
  const missing = run('codex', {}, { command: 'no-such-agent' })
  await expect(missing).rejects.toMatchObject({
    code: 'PROVIDER_FAILED',
    hadEffect: false,
    message: expect.stringContaining('no such program'),
  })
  const nowhere = run('codex', {}, { cwd: join(cwd, 'nowhere') })
  await expect(nowhere).rejects.toMatchObject({ code: 'INVALID_PARAMS', hadEffect: false })
  const tooLarge = run('text', {}, { args: [agent, '{prompt}'], prompt: 'x'.repeat(4_000_000) })
  await expect(tooLarge).rejects.toMatchObject({ hadEffect: false, message: expect.stringContaining('standard input') })
})

function readOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
