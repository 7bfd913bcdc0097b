import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Stage, WorkingCopy } from '../../../workspace/index.ts'
import type { AgentTool } from '../../turn/types.ts'
import { defineTool, field } from '../tool/define-tool.ts'
import { openCopy } from './open-copy.ts'
import type { WorkMachine } from '../work-environment.ts'
import { runWorkspaceTests } from './run-workspace-tests.ts'
import { renderTestRun } from '../test-run-view.ts'

export interface TestingOptions {
  readonly stage: Stage
  readonly machine: WorkMachine
  /** Of the turn: the copy is made by the first run and kept for the others. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Takes what is to be done when the turn is over. */
  atEnd(work: () => Promise<void>): void
}

/** Lets a model run tests with its changes before they are on disk: in a copy that has them. */
export function testingTool(parts: TestingOptions): AgentTool {
  const { stage, machine, timeoutMs } = parts
  const copyOf = createTestCopy(parts)
  // Two runs in one folder would disturb each other.
  let last: Promise<unknown> = Promise.resolve()
  return defineTool({
    name: 'run_tests',
    description: 'Runs the tests of the workspace with your changes, in a copy of it.',
    properties: {
      paths: field('strings', 'Files or folders; absent = all tests.'),
      framework: field('string', 'vitest, jest, node, pytest, go, cargo, mix or maven; absent = found from the files.'),
    },
    required: [],
    isReadOnly: true,
    async run({ paths, framework }, { signal }) {
      const run = async () => {
        const wish = { paths, framework, timeoutMs, signal, folder: await copyOf() }
        return renderTestRun(await runWorkspaceTests(stage.workspace, wish, machine))
      }
      const result = last.then(run, run)
      last = result
      return await result
    },
  })
}

/** The folder of a copy that is as the stage is now. */
function createTestCopy({ stage, machine, signal, atEnd }: TestingOptions): () => Promise<string> {
  let copy: WorkingCopy | null = null
  const written = new Set<string>()
  return async () => {
    if (copy === null) {
      const opened = await openCopy(stage.workspace, machine, signal)
      atEnd(() => opened.dispose())
      copy = opened
    }
    for (const { path } of stage.changes()) written.add(path)
    for (const path of written) await copyFile(stage, path, copy.path)
    return copy.path
  }
}

async function copyFile(stage: Stage, path: string, folder: string): Promise<void> {
  // A file of another root is not in the copy.
  if (path.startsWith('../')) return
  const target = join(folder, path)
  if (!(await stage.exists(path))) return await rm(target, { force: true })
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, await stage.readBytes(path, { maxBytes: Number.MAX_SAFE_INTEGER }))
}
