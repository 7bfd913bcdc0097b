import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { startChild } from './child.ts'
import type { Defer } from './cleanup.ts'
import type { Suite } from './install-suite.ts'
import type { Check } from './judge-checks.ts'

const silenceLimitMs = 60_000

export type SuiteProcess = Awaited<ReturnType<typeof openSuite>>

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Called with each line that the suite prints. */
  readonly onLine?: (line: string) => void
}

/** The suite with a folder for its results. */
export async function openSuite(suite: Suite, defer: Defer) {
  const output = await mkdtemp(join(tmpdir(), 'herma-conformance-results-'))
  defer(() => rm(output, { recursive: true, force: true }))
  return {
    /** Runs one command of the suite, and ends it by force when it says nothing for long. */
    async run(args: string[], { env = process.env, onLine = () => {} }: RunOptions = {}) {
      const child = startChild(suite.node, [suite.script, ...args, '--output-dir', output], { env })
      defer(() => child.stop())
      const timer = setTimeout(() => child.kill(), silenceLimitMs)
      child.onLine((line) => {
        timer.refresh()
        onLine(line)
      })
      const end = await child.ended
      clearTimeout(timer)
      return { isGood: end === 0, lastLines: `${child.lastLines()}\nThe suite ended with ${end}.` }
    },
    /** What a scenario left; `folder` is how the suite names its results. */
    readResults: (folder: string) => readResults(output, folder),
  }
}

async function readResults(output: string, folder: string) {
  // Folders are named <folder>-<time>, where <folder> may have a slash; one without the file is a scenario that did not end.
  const parent = join(output, dirname(folder))
  const pattern = new RegExp(`^${basename(folder)}-\\d{4}-`)
  for (const name of (await readdir(parent)).filter((each) => pattern.test(each))) {
    const checks = await readIfThere(join(parent, name, 'checks.json'))
    if (checks === undefined) continue
    const clientErrors = (await readIfThere(join(parent, name, 'stderr.txt'))) ?? ''
    return { checks: JSON.parse(checks) as Check[], clientErrors }
  }
  return undefined
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}
