import { teamOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { Teams } from './teams.ts'

/** Management of teams for people and programs. */
export function teamApi(teams: Teams): Route[] {
  return serve(teamOperations, {
    listTeams: () => ({ teams: teams.list() }),
    addTeam: async ({ body }) => {
      const team = await teams.add(body)
      return new Reply(team, { headers: { location: `/api/teams/${encodeURIComponent(team.name)}` } })
    },
    getTeam: ({ params: { name } }) => teams.get(name),
    updateTeam: ({ params: { name }, body }) => teams.update(name, body),
    removeTeam: ({ params: { name } }) => teams.remove(name),
    addTeamMember: ({ params: { name }, body }) => teams.addMember(name, body),
    updateTeamMember: ({ params: { name, session }, body }) => teams.updateMember(name, session, body),
    removeTeamMember: ({ params: { name, session } }) => teams.removeMember(name, session),
    orderTeamMembers: ({ params: { name }, body }) => teams.order(name, body.sessions),
    testTeamPath: ({ params: { name }, body }) => teams.explainPath(name, body),
    decideTeamCalls: ({ params: { name }, query }) => ({ decisions: teams.decisions(name, query.tool) }),
    listTeamCalls: ({ params: { name } }) => ({ calls: teams.calls(name) }),
  })
}
