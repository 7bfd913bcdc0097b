import { join } from 'node:path'
import { mkdir } from 'node:fs/promises'
import type { AgentCheck } from '../runner/client.ts'
import { runProgram, type ProgramRun } from '../runner/run-program.ts'

type AgentPlace = Parameters<AgentCheck['run']>[0]

interface AgentRun {
  /** Name of the agent, for a home of its own. */
  readonly agent: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

const ansi = new RegExp(String.raw`\u001B\[[0-9;]*m`, 'g')

/** Runs a command of an agent in its home; returns all that it printed, without colours. */
export async function runAgent(
  place: AgentPlace,
  { agent, command, env, timeoutMs = 60_000 }: AgentRun,
): Promise<string> {
  const home = await agentHome(place, agent)
  const run = await runProgram(command, {
    env: { ...place.env, HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config'), NO_COLOR: '1', ...env },
    cwd: home,
    timeoutMs,
  })
  const shown = print(run)
  if (run.code !== 0) throw new Error(`It ended with ${run.code}.\n${shown}`)
  return shown
}

export async function agentHome({ folder }: Pick<AgentPlace, 'folder'>, agent: string): Promise<string> {
  const home = join(folder, agent)
  await mkdir(home, { recursive: true })
  return home
}

export function expectText(shown: string, pattern: RegExp): void {
  if (!pattern.test(shown)) throw new Error(`It did not show ${String(pattern)}:\n${shown}`)
}

function print({ stdout, stderr }: ProgramRun): string {
  return `${stdout}\n${stderr}`.replaceAll(ansi, '')
}
