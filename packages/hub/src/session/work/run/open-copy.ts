import { openWorkingCopy, type Workspace, type WorkingCopy } from '../../../workspace/index.ts'
import type { WorkMachine } from '../work-environment.ts'

const limits = { files: 200_000, bytes: 2 * 1024 * 1024 * 1024 }

/** A private copy of a workspace, for programs that write files themselves. Whoever opened it disposes of it. */
export async function openCopy(workspace: Workspace, machine: WorkMachine, signal: AbortSignal): Promise<WorkingCopy> {
  return await openWorkingCopy({
    cwd: workspace.cwd,
    isDenied: (path) => workspace.isDenied(path),
    folder: machine.copyFolder,
    signal,
    limits,
  })
}
