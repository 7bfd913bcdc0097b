import {
  PathVerdict,
  TeamCall,
  TeamDecision,
  TeamInput,
  TeamMember,
  TeamMemberPatch,
  TeamOrder,
  TeamPatch,
  TeamPathQuestion,
  TeamView,
  type TeamMemberInput,
} from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

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

// A name that could not exist is looked up all the same, so that it answers like any other unknown name.
const params = z.object({ name: z.string().describe('Name of a team.') })
const memberParams = params.extend({ session: z.string().describe('Name of a member.') })
const changed = { 200: { description: 'The changed team.', schema: TeamView } }

/** Management of teams for people and programs. */
export function teamRoutes(service: TeamService): Route[] {
  return [...storedTeamRoutes(service), ...memberRoutes(service), ...observationRoutes(service)]
}

function storedTeamRoutes(service: TeamService): Route[] {
  return [
    defineRoute({
      id: 'listTeams',
      method: 'GET',
      path: '/api/teams',
      summary: 'Every team with its members and their health.',
      responses: { 200: { description: 'The teams.', schema: z.object({ teams: z.array(TeamView) }) } },
      handle: () => ({ status: 200, body: { teams: service.list() } }),
    }),
    defineRoute({
      id: 'addTeam',
      method: 'POST',
      path: '/api/teams',
      summary: 'Stores a team and serves it at once.',
      body: TeamInput,
      responses: { 201: { description: 'The stored team.', schema: TeamView } },
      handle: async ({ body }) => {
        const team = await service.add(body)
        return { status: 201, body: team, headers: { location: `/api/teams/${encodeURIComponent(team.name)}` } }
      },
    }),
    defineRoute({
      id: 'getTeam',
      method: 'GET',
      path: '/api/teams/:name',
      summary: 'One team.',
      params,
      responses: { 200: { description: 'The team.', schema: TeamView } },
      handle: ({ params: { name } }) => ({ status: 200, body: service.get(name) }),
    }),
    defineRoute({
      id: 'updateTeam',
      method: 'PATCH',
      path: '/api/teams/:name',
      summary: 'Changes the given fields; lists and rules are replaced as a whole.',
      params,
      body: TeamPatch,
      responses: changed,
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await service.update(name, body) }),
    }),
    defineRoute({
      id: 'removeTeam',
      method: 'DELETE',
      path: '/api/teams/:name',
      summary: 'Forgets the team. Calls that wait are refused, those under way go on; its sessions stay.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name } }) => {
        await service.remove(name)
        return { status: 204 }
      },
    }),
  ]
}

function memberRoutes(service: TeamService): Route[] {
  return [
    defineRoute({
      id: 'addTeamMember',
      method: 'POST',
      path: '/api/teams/:name/members',
      summary: 'Makes a session a member.',
      params,
      body: TeamMember,
      responses: { 201: { description: 'The changed team.', schema: TeamView } },
      handle: async ({ params: { name }, body }) => ({ status: 201, body: await service.addMember(name, body) }),
    }),
    defineRoute({
      id: 'updateTeamMember',
      method: 'PATCH',
      path: '/api/teams/:name/members/:session',
      summary: 'Changes the given fields of a member.',
      params: memberParams,
      body: TeamMemberPatch,
      responses: changed,
      handle: async ({ params: { name, session }, body }) => ({
        status: 200,
        body: await service.updateMember(name, session, body),
      }),
    }),
    defineRoute({
      id: 'removeTeamMember',
      method: 'DELETE',
      path: '/api/teams/:name/members/:session',
      summary: 'Takes a session out of the team.',
      params: memberParams,
      responses: changed,
      handle: async ({ params: { name, session } }) => ({
        status: 200,
        body: await service.removeMember(name, session),
      }),
    }),
    defineRoute({
      id: 'orderTeamMembers',
      method: 'POST',
      path: '/api/teams/:name/order',
      summary: 'Gives the members the priorities 1, 2, 3 … in this order.',
      params,
      body: TeamOrder,
      responses: changed,
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await service.order(name, body.sessions) }),
    }),
  ]
}

function observationRoutes(service: TeamService): Route[] {
  return [
    defineRoute({
      id: 'testTeamPath',
      method: 'POST',
      path: '/api/teams/:name/paths',
      summary: 'Whether the path policy of a team, stored or given, lets its members read or write a path, and why.',
      params,
      body: TeamPathQuestion,
      responses: { 200: { description: 'The verdict.', schema: PathVerdict } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await service.explainPath(name, body) }),
    }),
    defineRoute({
      id: 'decideTeamCalls',
      method: 'GET',
      path: '/api/teams/:name/decisions',
      summary: 'Who would answer each tool now, and why.',
      params,
      query: z.object({ tool: z.string().max(100).optional().describe('One tool of the team, or of its members.') }),
      responses: { 200: { description: 'The decisions.', schema: z.object({ decisions: z.array(TeamDecision) }) } },
      handle: ({ params: { name }, query }) => ({
        status: 200,
        body: { decisions: service.decisions(name, query.tool) },
      }),
    }),
    defineRoute({
      id: 'listTeamCalls',
      method: 'GET',
      path: '/api/teams/:name/calls',
      summary: 'Calls that the team works on, then those that wait, in their order.',
      params,
      responses: { 200: { description: 'The calls.', schema: z.object({ calls: z.array(TeamCall) }) } },
      handle: ({ params: { name } }) => ({ status: 200, body: { calls: service.calls(name) } }),
    }),
  ]
}
