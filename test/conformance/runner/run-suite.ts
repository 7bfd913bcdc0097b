import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import type { Choice } from './choose-scenarios.ts'
import type { Defer } from './cleanup.ts'
import type { Suite } from './install-suite.ts'
import type { Leg } from './legs.ts'
import { judgeChecks, type Check, type Result } from './judge-checks.ts'

const silenceLimitMs = 60_000

export type Target = { url: string; choice: Choice; defer: Defer }

/** Runs scenarios of one leg against a URL, and returns their results in the same order. */
export async function runSuite(suite: Suite, leg: Leg, { url, choice, defer }: Target): Promise<Result[]> {
  const output = await mkdtemp(join(tmpdir(), 'herma-conformance-results-'))
  defer(() => rm(output, { recursive: true, force: true }))
  const common = ['server', '--url', url, '--output-dir', output, '--spec-version', leg.revision]

  // All in one process is fast. What it left without a result, because it hung or crashed, gets a process of its own.
  if (choice.isSuite) await runToEnd(startSuite(suite, [...common, '--suite', 'all'], defer))
  const results: Result[] = []
  for (const scenario of choice.scenarios) {
    let checks = await readChecks(output, scenario)
    let lastLines = ''
    if (!checks) {
      lastLines = await runToEnd(startSuite(suite, [...common, '--force', '--scenario', scenario], defer))
      checks = await readChecks(output, scenario)
    }
    results.push(judgeChecks(scenario, checks, lastLines))
  }
  return results
}

function startSuite(suite: Suite, args: string[], defer: Defer): Child {
  const child = startChild(suite.node, [suite.script, ...args])
  defer(() => child.stop())
  return child
}

/** Waits for the end, which comes by force when the process says nothing for long; returns its last lines. */
async function runToEnd(child: Child): Promise<string> {
  const timer = setTimeout(() => child.kill(), silenceLimitMs)
  child.onLine(() => void timer.refresh())
  const end = await child.ended
  clearTimeout(timer)
  return `${child.lastLines()}\nThe suite ended with ${end}.`
}

async function readChecks(output: string, scenario: string): Promise<Check[] | undefined> {
  // Folders are named server-<scenario>-<time>; one without the file is a scenario that did not end.
  const pattern = new RegExp(`^server-${scenario}-\\d{4}-`)
  for (const folder of (await readdir(output)).filter((name) => pattern.test(name))) {
    try {
      return JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8')) as Check[]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
