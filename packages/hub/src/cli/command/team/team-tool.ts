import type { TeamTool } from '@herma/contract'

import { CliError, exitCodes } from '../../exit-codes.ts'
import { nearest } from '../../nearest.ts'

export const teamTools: readonly TeamTool[] = [
  'team.generate_code',
  'team.run_tests',
  'team.search_web',
  'team.plan_task',
]

/** The tool of a team that somebody means; `team.` in front may be left out. */
export function findTeamTool(text: string): TeamTool {
  const found = teamTools.find((tool) => tool === text || tool === `team.${text}`)
  if (found !== undefined) return found
  const near = nearest(
    text.replace(/^team\./, ''),
    teamTools.map((tool) => tool.slice('team.'.length)),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new CliError(exitCodes.usage, `A team has no tool '${text}'.${hint} There are: ${teamTools.join(', ')}`)
}
