import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { CommitJournal } from './commit/commit-journal.ts'
import { recoverJournals } from './commit/recover-journals.ts'
import { explainPath, type PathVerdict } from './path/explain-path.ts'
import type { PathRefusal } from './path/locate-path.ts'
import { openWorkspace, type WorkspaceOptions } from './open-workspace.ts'
import type { PathPolicy } from './path/path-policy.ts'
import { Stage } from './stage/stage.ts'
import { StageFigures } from './stage/stage-figures.ts'
import type { StageLimits } from './stage/staged-files.ts'
import type { Workspace } from './workspace.ts'

export interface Workspaces {
  /** Finds the working directory of a call, and counts what its policy refuses. */
  open(options: WorkspaceOptions): Promise<Workspace>
  stage(workspace: Workspace, limits?: Partial<StageLimits>): Stage
  /** What a policy says about one path. */
  explain(policy: PathPolicy, question: { cwd: string; path: string }): Promise<PathVerdict>
  readonly metrics: readonly Metric[]
  /** When commits under way are done. */
  stop(): Promise<void>
}

interface WorkspacesOptions {
  readonly stateHome: string
  /** Has files that name commands, which the hub runs as soon as they are written. */
  readonly configHome?: string | undefined
  readonly log: Log
}

/** What sessions need of files. Finishes what a crash interrupted first, so nobody ever sees half a commit. */
export async function openWorkspaces({ stateHome, configHome, log }: WorkspacesOptions): Promise<Workspaces> {
  const folder = join(stateHome, 'workspace-journal')
  await recoverJournals(folder, log)
  const figures = new StageFigures()
  const journal = new CommitJournal({ folder, log })
  const closed = await findClosed({ stateHome, configHome })
  return {
    open: (options) =>
      openWorkspace({
        ...options,
        closed,
        onViolation(refusal: PathRefusal) {
          figures.refusals.add(1, refusal.reason)
          options.onViolation(refusal)
        },
      }),
    stage: (workspace, limits) => new Stage(workspace, { journal, figures, limits }),
    explain: (policy, question) => explainPath(policy, { ...question, closed }),
    metrics: figures.metrics,
    stop: () => journal.stop(),
  }
}

/**
 * What no session reaches, though its root be the whole home folder: the state home with the operator's token and the
 * master key, and the fragments, which could name commands.
 */
async function findClosed({ stateHome, configHome }: Omit<WorkspacesOptions, 'log'>): Promise<string[]> {
  // One that is not there yet has no links either.
  const realOf = (home: string) => realpath(home).catch(() => home)
  const state = await realOf(stateHome)
  if (configHome === undefined) return [state]
  const config = await realOf(configHome)
  return [state, ...['catalog', 'bundles', 'custom_tools.json'].map((name) => join(config, name))]
}
