import { HubError, type PathVerdict, type Team, type TeamPathQuestion } from '@herma/contract'
import type { TeamPaths } from './ports.ts'

/** What the policy of a team says about a path: for people who write it, before or after they save it. */
export async function explainTeamPath(
  team: Pick<Team, 'name' | 'workingDir' | 'paths'>,
  question: TeamPathQuestion,
  { explain }: Pick<TeamPaths, 'explain'>,
): Promise<PathVerdict> {
  const { path, cwd, paths = team.paths, workingDir = team.workingDir } = question
  const base = workingDir ?? paths.roots[0]
  if (base === undefined) {
    const next = `herma team edit ${team.name} --dir DIR`
    throw new HubError('INVALID_PARAMS', `'${team.name}' has no working directory and no roots. Set one: ${next}`)
  }
  return explain(paths, { base, path, cwd })
}
