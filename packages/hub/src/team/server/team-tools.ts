import { Ability, TeamTool, type Team, compileGlobs } from '@herma/contract'

/** One of the tools that every team has. */
export interface TeamToolKind {
  readonly name: TeamTool
  /** What the member does. */
  readonly ability: Ability
  /** Whose members are asked. */
  readonly role: string
  readonly title: string
  readonly description: string
  /** Arguments of the ability that the tool does not take. */
  readonly without: readonly string[]
  readonly annotations: Readonly<Record<string, boolean>>
}

export const dispatchName = 'team.dispatch'

export const teamTools: readonly TeamToolKind[] = [
  {
    name: 'team.generate_code',
    ability: 'code.generate',
    role: 'code',
    title: 'Generate code',
    description:
      'Writes code in the workspace as the specification says. path_globs limit which files may change. Changes are written together at the end, or not at all.',
    without: [],
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  {
    name: 'team.run_tests',
    ability: 'tests.run',
    role: 'test',
    title: 'Run tests',
    description: 'Really runs the tests of the workspace and returns counts and failures.',
    without: [],
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  {
    name: 'team.search_web',
    ability: 'search.web',
    role: 'search',
    title: 'Search the web',
    description: 'Searches the web and returns results with their addresses.',
    without: ['options'],
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  {
    name: 'team.plan_task',
    ability: 'plan.task',
    role: 'planner',
    title: 'Plan a task',
    description: 'Makes a plan in steps for a goal, within the given constraints.',
    without: ['options'],
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
]

/** The tools that a team offers. */
export function toolNames(team: Team): string[] {
  const canDispatch = dispatchedAbilities(team).length > 0
  return [...TeamTool.options, ...(canDispatch ? [dispatchName] : [])]
}

/** What team.dispatch may ask of members; nothing while it is off. */
export function dispatchedAbilities({ dispatch: { enabled, allow } }: Pick<Team, 'dispatch'>): Ability[] {
  if (!enabled) return []
  return Ability.options.filter(compileGlobs(allow))
}
