import { existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { isAlive, killTree } from '../../platform/process/process-tree.ts'
import type { ToolResult } from '../core/own-tool.ts'
import { setUpTools, type TestTools } from './testing/set-up-tools.ts'

const within = { timeout: 20_000, interval: 20 }

function textOf(result: ToolResult): unknown {
  return result.content[0]?.['text']
}

/** Two processes that ignore SIGTERM and write their ids into the file `family`; the second is in the background. */
const stubbornFamily = `trap '' TERM
sh -c 'trap "" TERM; echo $$ >> family; while :; do sleep 1; done' &
echo $$ >> family
while :; do sleep 1; done`

/** The processes that wrote their ids into the file `family`. None is left after the test, whatever happens. */
async function findFamily({ configHome }: TestTools, size: number): Promise<number[]> {
  await expect.poll(() => readLines(configHome, 'family').length, within).toBe(size)
  const family = readLines(configHome, 'family').map(Number)
  onTestFinished(async () => {
    for (const pid of family) await killTree(pid, { graceMs: 0, log: createLog('silent') })
  })
  return family
}

function readLines(folder: string, name: string): string[] {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

test('the descriptor says what the file says, and arguments are always an object', async () => {
  const tools = await setUpTools()
  const { descriptor, tags, origin } = tools.create({
    command: 'true',
    title: 'Sync',
    description: 'Syncs.',
    inputSchema: { properties: { path: { type: 'string' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    tags: ['files'],
  })
  expect({ descriptor, tags, origin }).toEqual({
    descriptor: {
      name: 'tool',
      title: 'Sync',
      description: 'Syncs.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
    tags: ['files'],
    origin: 'custom_tools.json',
  })
})

test('a command sees a few variables of the hub and its own, and no others', async () => {
  const hub = {
    PATH: process.env['PATH'],
    HOME: '/home/x',
    DATABASE_URL: 'postgres://u:p@h/d',
    NODE_OPTIONS: '--trace',
  }
  const tools = await setUpTools(hub)
  const tool = tools.create({ command: 'env', env: { TOKEN: 'mine', HOME: '/elsewhere' } })
  const lines = String(textOf(await tool.run({ a: 1 }, tools.context()))).split('\n')
  expect(lines.filter((line) => !line.startsWith('PATH=')).sort()).toEqual([
    `HERMA_CONFIG_HOME=${tools.configHome}`,
    `HERMA_STATE_HOME=${tools.configHome}/state`,
    'HERMA_TOOL_ARGS={"a":1}',
    'HOME=/elsewhere',
    'STELAE_TOOL_ARGS={"a":1}',
    'TOKEN=mine',
  ])
})

test('large arguments reach a command on standard input only, and one without standard input is not run', async () => {
  const tools = await setUpTools()
  const text = 'ä'.repeat(100_000)
  const reader = tools.create({ command: 'sh', args: ['-c', 'wc -c; echo "${HERMA_TOOL_ARGS-unset}"'] })
  const counted = String(textOf(await reader.run({ text }, tools.context())))
  expect(counted.split('\n').map((line) => line.trim())).toEqual(['200012', 'unset'])
  const refused = await tools.create({ command: 'env', inputMode: 'none' }).run({ text }, tools.context())
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toBe(
    "'tool' was not run: the arguments have 200011 bytes, and without standard input only 32768 reach it. " +
      'Send less, or set "inputMode" to "json".',
  )
})

test.runIf(process.platform === 'linux')('a command has no file that the hub has open', async () => {
  const tools = await setUpTools()
  await using _file = await open(join(tools.configHome, 'open-in-the-hub'), 'w')
  const list = { command: 'ls', args: ['-l', '/proc/self/fd'] }
  const text = String(textOf(await tools.create(list).run({}, tools.context())))
  expect(text).toContain(' 2 -> ')
  expect(text).not.toContain('open-in-the-hub')
})

test('a command that is too slow ends with all that it started, also when they ignore SIGTERM', async () => {
  const tools = await setUpTools()
  const running = tools.create({ command: 'sh', args: ['-c', stubbornFamily], timeout: 5 }).run({}, tools.context())
  const family = await findFamily(tools, 2)
  expect(textOf(await running)).toContain("'tool' was stopped after 5 s.")
  expect(family.filter(isAlive)).toEqual([])
})

test('a cancelled call ends the command with all that it started', async () => {
  const tools = await setUpTools()
  const cancel = new AbortController()
  const running = tools.create({ command: 'sh', args: ['-c', stubbornFamily] }).run({}, tools.context(cancel.signal))
  const family = await findFamily(tools, 2)
  cancel.abort()
  expect(textOf(await running)).toBe("'tool' was stopped: the call was cancelled.")
  expect(family.filter(isAlive)).toEqual([])
})

test('what a command leaves in the background ends with it, and its own output is complete', async () => {
  const tools = await setUpTools()
  const script = 'sleep 600 & echo $!; seq 20000'
  const result = await tools.create({ command: 'sh', args: ['-c', script] }).run({}, tools.context())
  const [pid, ...numbers] = String(textOf(result)).split('\n')
  expect(numbers).toHaveLength(20_000)
  expect(isAlive(Number(pid))).toBe(false)
})

test('a process that fled from its family does not hold up the answer', async () => {
  const tools = await setUpTools()
  const script = 'setsid sleep 600 & echo $! > family; echo done'
  const running = tools.create({ command: 'sh', args: ['-c', script] }).run({}, tools.context())
  await findFamily(tools, 1)
  expect(textOf(await running)).toBe('done')
})

test('the guardian ends a command when the hub dies', async () => {
  const tools = await setUpTools()
  const running = tools
    .create({ command: 'sh', args: ['-c', 'echo $$ > family; exec sleep 600'] })
    .run({}, tools.context())
  await findFamily(tools, 1)
  tools.watchdog.stop()
  expect(textOf(await running)).toBe("'tool' was ended by SIGTERM.")
})

test('a call beyond the limit waits for its turn, and is answered when it is cancelled meanwhile', async () => {
  const tools = await setUpTools()
  const script = 'echo run >> runs; while [ ! -e go ]; do sleep 0.05; done'
  const tool = tools.create({ command: 'sh', args: ['-c', script], maxConcurrency: 1 })
  const countRuns = () => readLines(tools.configHome, 'runs').length
  const first = tool.run({}, tools.context())
  const second = tool.run({}, tools.context())
  const cancel = new AbortController()
  const third = tool.run({}, tools.context(cancel.signal))
  await expect.poll(countRuns, within).toBe(1)
  cancel.abort()
  expect(textOf(await third)).toBe("'tool' was not run: the call was cancelled.")
  expect(countRuns()).toBe(1)
  await (await open(join(tools.configHome, 'go'), 'w')).close()
  expect((await first).isError).toBeUndefined()
  expect((await second).isError).toBeUndefined()
  expect(countRuns()).toBe(2)
})

test('of a long complaint the end is told', async () => {
  const tools = await setUpTools()
  const script = 'seq 100000 >&2; exit 1'
  const text = String(textOf(await tools.create({ command: 'sh', args: ['-c', script] }).run({}, tools.context())))
  expect(text.endsWith('99999\n100000')).toBe(true)
  expect(text.length).toBeGreaterThan(16_000)
  expect(text.length).toBeLessThan(17_000)
})
