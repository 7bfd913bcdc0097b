import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { captureTerminal } from '../../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../../packages/hub/src/cli/run-cli.ts'
import { splitWords } from '@herma/contract'
import { startFakeLlm, type FakeLlm } from '../../fixtures/fake-llm/start-fake-llm.ts'
import { serverProgram, startTestHub, type TestHub } from '../start-test-hub.ts'
import { guideModel } from './guide-model.ts'
import { outputPattern, readConsoleSteps, squeeze, type GuideStep } from './guide-steps.ts'

const guide = (name: string) => new URL(`../../../docs/guides/${name}.md`, import.meta.url)
const run = promisify(execFile)
let hub: TestHub
let llm: FakeLlm
let home: string

beforeAll(async () => {
  llm = await startFakeLlm({ script: guideModel })
  hub = await startTestHub()
  home = await realpath(await mkdtemp(join(tmpdir(), 'herma-test-guide-')))
  for (const name of ['openai', 'anthropic', 'gemini']) await writeFile(join(home, `${name}.key`), `key-of-${name}\n`)
})

afterAll(async () => {
  await hub.stop()
  await llm.stop()
  await rm(home, { recursive: true, force: true })
})

test('every command of "Sessions as teams" answers what the guide shows', async () => {
  const steps = readConsoleSteps(await readFile(guide('sessions-as-teams'), 'utf8'))
  expect(steps.length).toBeGreaterThan(30)
  for (const step of steps) await expectShown(step)
})

test('every command of "Use your team" does so for those who come from there', async () => {
  const steps = readConsoleSteps(await readFile(guide('use-your-team'), 'utf8'))
  expect(steps.length).toBeGreaterThan(10)
  // Whatever the machine, these tests are still running when the guide has enough of them.
  const slow =
    "import test from 'node:test'\ntest('slow', () => new Promise((resolve) => setTimeout(resolve, 60_000)))\n"
  await writeFile(join(home, 'project/src/slow.test.js'), slow)
  let trace = ''
  for (const step of steps) {
    const command = step.command
      .replace('--timeout 0.1', '--timeout 2')
      .replace(/(?<=traces show )[0-9a-f]{32}/, () => trace)
    const output = step.output.replace('within 0.1 s', 'within 2 s')
    trace = /[0-9a-f]{32}/.exec(await expectShown({ command, output }))?.[0] ?? trace
  }
})

async function expectShown({ command, output }: GuideStep): Promise<string> {
  // Events are on disk a moment after what they tell of, and the catalog hears of a new tool of the team a moment later.
  const isLate = /^npx herma (traces|call alpha__team_dispatch) /.test(command)
  const isRefused = /reports an error\.$|the call is cancelled\.$/m.test(output)
  const attempt = async () => {
    const { code, text } = await perform(command)
    expect(code === 0, `${command} ended with ${code}\n${text}`).toBe(!isRefused)
    expect(squeeze(text), `The guide shows something else for: ${command}`).toMatch(outputPattern(output))
    return text
  }
  return isLate ? vi.waitFor(attempt, { timeout: 10_000, interval: 200 }) : attempt()
}

/** Runs a line of the guide here: the providers are the fake one, the hub is that of the test. */
async function perform(line: string): Promise<{ code: number; text: string }> {
  const here = line.replace('127.0.0.1:4376', new URL(hub.url).host)
  if (!here.startsWith('npx herma ')) {
    const { stdout } = await run('sh', ['-c', here], { env: { PATH: process.env['PATH'], HOME: home } })
    return { code: 0, text: asInGuide(stdout) }
  }
  const words = splitWords(here)
    .slice(2)
    .map((word) => word.replace(/^~\/|(?<==)\$HOME\//, `${home}/`))
  const env = { HERMA_CONFIG_HOME: dirname(hub.stateHome), HERMA_STATE_HOME: hub.stateHome }
  const { terminal, written } = captureTerminal({ env })
  const code = await runCli(withLocalPlaces(words), terminal)
  return { code, text: asInGuide(written.seen) }
}

function withLocalPlaces(words: string[]): string[] {
  const [group, verb] = words
  const provider = words[words.indexOf('--provider') + 1] as Parameters<FakeLlm['baseUrl']>[0] | 'mcp'
  if (group === 'session' && verb === 'add' && provider !== 'mcp') {
    const given = words.indexOf('--base-url')
    const others = given === -1 ? words : words.toSpliced(given, 2)
    return [...others, '--base-url', llm.baseUrl(provider)]
  }
  // What npx would fetch is installed here.
  const program = words.indexOf('@modelcontextprotocol/server-memory')
  return program === -1
    ? words
    : [...words.slice(0, words.indexOf('--') + 1), process.execPath, serverProgram('memory')]
}

function asInGuide(text: string): string {
  return text.replaceAll(home, '/home/you').replaceAll(new URL(hub.url).host, '127.0.0.1:4376')
}
