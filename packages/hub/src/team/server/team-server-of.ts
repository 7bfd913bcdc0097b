import { HubError, type Team } from '@herma/contract'
import { errorResult, readArguments, type ToolResult } from '../../wire/index.ts'
import { dispatchTool } from './dispatch-tool.ts'
import type { TeamServer, TeamServerTool, TeamSessions } from '../ports.ts'
import { runTeamCall } from '../queue/run-team-call.ts'
import { inputOf, outputOf, toJsonSchema } from './team-schemas.ts'
import { dispatchedAbilities, teamTools, type TeamToolKind } from './team-tools.ts'
import type { TeamEnvironment } from '../queue/team-work.ts'

/** A team as a served server. What a call needs of the team is looked up when it comes: `team` may be of yesterday. */
export function teamServerOf(team: Team, outside: TeamEnvironment, readTeam: () => Team): TeamServer {
  const tools = teamTools.map((kind) => teamTool(kind, team.name, outside))
  if (dispatchedAbilities(team).length > 0) tools.push(dispatchTool(team, outside, readTeam))
  return {
    name: team.name,
    title: `Team ${team.name}`,
    instructions:
      `${team.description}\n\nA team of agent sessions. Each tool goes to the member that is best for it; results say who answered and why. Calls may wait in line and report how many are before them.`.trim(),
    tools: tools.map((tool) => withAnswers(tool, outside.sessions)),
  }
}

function teamTool(kind: TeamToolKind, team: string, outside: TeamEnvironment): TeamServerTool {
  const { name, ability, role } = kind
  const { input, descriptor } = shapeOf(kind)
  return {
    name,
    origin: `team ${team}`,
    tags: ['team', role],
    descriptor,
    run: async (given, context) => {
      const fields = readArguments(input, given, name)
      const workContext = context.workContext()
      const anybody = { only: null, prefer: null, hopLimit: null }
      return runTeamCall({ team, tool: name, ability, fields, role, ...anybody, workContext }, outside)
    },
  }
}

interface ToolShape {
  readonly input: ReturnType<typeof inputOf>
  readonly descriptor: TeamServerTool['descriptor']
}

/** The same for every team, and slow to make. */
const shapes = new Map<TeamToolKind, ToolShape>()

function shapeOf(kind: TeamToolKind): ToolShape {
  const known = shapes.get(kind)
  if (known !== undefined) return known
  const { name, ability, title, description, without, annotations } = kind
  const input = inputOf(ability, without)
  const [inputSchema, outputSchema] = [toJsonSchema(input, 'input'), toJsonSchema(outputOf(ability), 'output')]
  const shape = { input, descriptor: { name, title, description, inputSchema, outputSchema, annotations } }
  shapes.set(kind, shape)
  return shape
}

/** What went wrong is for the model of the client to read; one that was cancelled has nobody left to read it. */
function withAnswers(tool: TeamServerTool, { hadEffect }: TeamSessions): TeamServerTool {
  return {
    ...tool,
    async run(args, context): Promise<ToolResult> {
      try {
        return await tool.run(args, context)
      } catch (error) {
        if (!(error instanceof HubError) || context.workContext().signal.aborted) throw error
        const { code, message, data, cause } = error
        const about = { code, hadEffect: hadEffect(error) || hadEffect(cause), ...(data !== undefined && { data }) }
        return { ...errorResult(message), _meta: { 'herma/error': about } }
      }
    },
  }
}
