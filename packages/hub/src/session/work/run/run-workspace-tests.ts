import { sep } from 'node:path'
import type { TestRun } from '@herma/contract'
import { runTests, toFramework, type Workspace } from '../../../workspace/index.ts'
import type { WorkMachine } from '../work-environment.ts'
import { toTestRun } from '../test-run-view.ts'

export interface TestWish {
  readonly paths?: readonly string[] | undefined
  readonly framework?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onOutput?(text: string): void
}

const maxOutputBytes = 64 * 1024

/** Runs the tests of a workspace, or of a copy of it in another folder. */
export async function runWorkspaceTests(
  workspace: Workspace,
  wish: TestWish & { readonly folder?: string },
  { testFolder, ...machine }: WorkMachine,
): Promise<TestRun> {
  const { folder, framework, paths = [], ...rest } = wish
  for (const path of paths) await workspace.locate(path)
  const cwd = folder ?? workspace.cwd
  const report = await runTests(
    {
      ...rest,
      paths,
      cwd,
      root: folder ?? rootOf(workspace),
      framework: framework === undefined ? undefined : toFramework(framework),
      maxOutputBytes,
    },
    { ...machine, folder: testFolder },
  )
  return toTestRun(report)
}

/** Tools of a project may be installed above the folder, but no higher than the session may look. */
function rootOf({ roots, cwd }: Workspace): string {
  return roots.find((root) => cwd === root || cwd.startsWith(root.endsWith(sep) ? root : root + sep)) ?? cwd
}
