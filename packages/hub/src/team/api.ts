import type {
  PathVerdict,
  TeamCall,
  TeamDecision,
  TeamInput,
  TeamMemberInput,
  TeamMemberPatch,
  TeamPatch,
  TeamPathQuestion,
  TeamView,
} from '@herma/contract'
import { teamOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'

/** What the management API does with teams. */
export interface TeamService {
  list(): TeamView[]
  get(name: string): TeamView
  add(input: TeamInput): Promise<TeamView>
  update(name: string, patch: TeamPatch): Promise<TeamView>
  remove(name: string): Promise<void>
  addMember(name: string, member: TeamMemberInput): Promise<TeamView>
  updateMember(name: string, session: string, patch: TeamMemberPatch): Promise<TeamView>
  removeMember(name: string, session: string): Promise<TeamView>
  order(name: string, sessions: readonly string[]): Promise<TeamView>
  explainPath(name: string, question: TeamPathQuestion): Promise<PathVerdict>
  decisions(name: string, tool: string | undefined): TeamDecision[]
  calls(name: string): TeamCall[]
}

/** Management of teams for people and programs. */
export function teamApi(service: TeamService): Route[] {
  return serve(teamOperations, {
    listTeams: () => ({ teams: service.list() }),
    addTeam: async ({ body }) => {
      const team = await service.add(body)
      return new Reply(team, { headers: { location: `/api/teams/${encodeURIComponent(team.name)}` } })
    },
    getTeam: ({ params: { name } }) => service.get(name),
    updateTeam: ({ params: { name }, body }) => service.update(name, body),
    removeTeam: ({ params: { name } }) => service.remove(name),
    addTeamMember: ({ params: { name }, body }) => service.addMember(name, body),
    updateTeamMember: ({ params: { name, session }, body }) => service.updateMember(name, session, body),
    removeTeamMember: ({ params: { name, session } }) => service.removeMember(name, session),
    orderTeamMembers: ({ params: { name }, body }) => service.order(name, body.sessions),
    testTeamPath: ({ params: { name }, body }) => service.explainPath(name, body),
    decideTeamCalls: ({ params: { name }, query }) => ({ decisions: service.decisions(name, query.tool) }),
    listTeamCalls: ({ params: { name } }) => ({ calls: service.calls(name) }),
  })
}
