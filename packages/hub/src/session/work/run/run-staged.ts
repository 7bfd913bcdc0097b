import type { FileChange, Stage, Workspace } from '../../../workspace/index.ts'
import type { TurnResult } from '../../turn/types.ts'
import { approvalOf } from '../tool/ask-approval.ts'
import type { RouteChoice } from '../choose-route.ts'
import { afterTurn } from '../had-effect.ts'
import { openPlace } from '../open-place.ts'
import type { WorkEnvironment } from '../work-environment.ts'
import { runAgentCommand } from './run-command.ts'
import { runModel } from './run-model.ts'
import { compileToolPolicy } from '../tool/tool-policy.ts'
import type { WorkRequest, WorkResult } from '../types.ts'

/** What a turn works with. */
export interface TurnContext {
  /** Null where the work needs no files. */
  readonly workspace: Workspace | null
  /** Null where nothing may be written. */
  readonly stage: Stage | null
  readonly filesRead: Set<string>
  /** Takes what is to be done when the turn is over, however it ends. */
  atEnd(work: () => Promise<void>): void
}

/** Lets the session's model or command work, and commits the changes at the end of it. */
export async function runStaged(
  request: WorkRequest,
  choice: RouteChoice,
  outside: WorkEnvironment,
): Promise<WorkResult> {
  const { route, because } = choice
  const workspace = request.needs === 'none' ? null : await openPlace(request, outside)
  const stage = workspace === null || request.needs !== 'write' ? null : outside.workspaces.stage(workspace)
  const ends: (() => Promise<void>)[] = []
  const context: TurnContext = { workspace, stage, filesRead: new Set(), atEnd: (work) => ends.push(work) }
  const run = request.session.provider === 'command' ? runAgentCommand : runModel
  try {
    const turn = await run(request, context, outside)
    const end = stage === null ? noChanges : await endStage(stage, turn, request)
    return { ...turn, ...end, route, because, toolResult: null, filesRead: [...context.filesRead] }
  } finally {
    await stage?.discard()
    for (const end of ends) await end().catch(cannotClean(outside))
  }
}

/** What was committed is committed: whoever is told of a failure would do the work again. */
function cannotClean({ machine }: WorkEnvironment): (error: unknown) => void {
  return (error) => machine.log.warn('what work left behind could not be removed yet', { error })
}

interface StageEnd {
  readonly changes: readonly FileChange[]
  readonly diff: string | null
  readonly committed: boolean
  readonly whyNotCommitted: string | null
}

const noChanges: StageEnd = { changes: [], diff: null, committed: false, whyNotCommitted: null }

/** The commit point. */
async function endStage(stage: Stage, turn: TurnResult, request: WorkRequest): Promise<StageEnd> {
  try {
    const changes = stage.changes()
    if (changes.length === 0) return noChanges
    const diff = await stage.diff()
    request.onEvent({ type: 'diff', diff, files: changes.map(({ path }) => path) })
    const whyNotCommitted = await findReason(turn, request, { diff, changes })
    if (whyNotCommitted === null) await stage.commit(request.workContext.signal)
    return { changes, diff, committed: whyNotCommitted === null, whyNotCommitted }
  } catch (error) {
    throw afterTurn(error, turn)
  }
}

/** Why the changes are not to be committed; null when they are. */
async function findReason(
  { finish }: TurnResult,
  request: WorkRequest,
  { diff, changes }: Pick<StageEnd, 'changes'> & { readonly diff: string },
): Promise<string | null> {
  const { session, workContext, isDryRun } = request
  if (isDryRun === true) return 'it was a dry run'
  if (finish !== 'stop' && finish !== 'client-tools') return `the work is unfinished (${finish})`
  const name = 'commit_changes'
  if (!compileToolPolicy(session.tools).needsApproval({ name, isReadOnly: false })) return null
  const approve = request.approve?.bind(request) ?? approvalOf(workContext, session.name)
  if (approve === undefined) return 'changes need an approval, and nobody here can give one'
  const call = { id: 'commit', name, arguments: { files: changes.map(({ path }) => path), diff } }
  request.onEvent({ type: 'approval-wanted', ...call })
  const answer = await approve(call, workContext.signal)
  workContext.signal.throwIfAborted()
  return answer === 'once' ? null : 'the changes were refused'
}
