import { z } from 'zod'

import { PathVerdict, TeamPathQuestion } from '../session/path-test.ts'
import {
  TeamCall,
  TeamDecision,
  TeamInput,
  TeamMember,
  TeamMemberPatch,
  TeamOrder,
  TeamPatch,
  TeamView,
} from '../team.ts'
import type { ApiOperation } from './operation.ts'

const params = z.object({ name: z.string().describe('Name of a team.') })
const memberParams = params.extend({ session: z.string().describe('Name of a member.') })
const changed = { 200: { description: 'The changed team.', schema: TeamView } }

export const teamOperations = {
  listTeams: {
    method: 'GET',
    path: '/api/teams',
    summary: 'Every team with its members and their health.',
    responses: { 200: { description: 'The teams.', schema: z.object({ teams: z.array(TeamView) }) } },
  },
  addTeam: {
    method: 'POST',
    path: '/api/teams',
    summary: 'Stores a team and serves it at once.',
    body: TeamInput,
    responses: { 201: { description: 'The stored team.', schema: TeamView } },
    errors: ['SERVER_EXISTS', 'SESSION_NOT_FOUND'],
  },
  getTeam: {
    method: 'GET',
    path: '/api/teams/:name',
    summary: 'One team.',
    params,
    responses: { 200: { description: 'The team.', schema: TeamView } },
    errors: ['TEAM_NOT_FOUND'],
  },
  updateTeam: {
    method: 'PATCH',
    path: '/api/teams/:name',
    summary: 'Changes the given fields; lists and rules are replaced as a whole.',
    params,
    body: TeamPatch,
    responses: changed,
    errors: ['TEAM_NOT_FOUND'],
  },
  removeTeam: {
    method: 'DELETE',
    path: '/api/teams/:name',
    summary: 'Forgets the team. Calls that wait are refused, those under way go on; its sessions stay.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['TEAM_NOT_FOUND'],
  },
  addTeamMember: {
    method: 'POST',
    path: '/api/teams/:name/members',
    summary: 'Makes a session a member.',
    params,
    body: TeamMember,
    responses: { 201: { description: 'The changed team.', schema: TeamView } },
    errors: ['TEAM_NOT_FOUND', 'SESSION_NOT_FOUND', 'MEMBER_EXISTS'],
  },
  updateTeamMember: {
    method: 'PATCH',
    path: '/api/teams/:name/members/:session',
    summary: 'Changes the given fields of a member.',
    params: memberParams,
    body: TeamMemberPatch,
    responses: changed,
    errors: ['TEAM_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  },
  removeTeamMember: {
    method: 'DELETE',
    path: '/api/teams/:name/members/:session',
    summary: 'Takes a session out of the team.',
    params: memberParams,
    responses: changed,
    errors: ['TEAM_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  },
  orderTeamMembers: {
    method: 'POST',
    path: '/api/teams/:name/order',
    summary: 'Gives the members the priorities 1, 2, 3 … in this order.',
    params,
    body: TeamOrder,
    responses: changed,
    errors: ['TEAM_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  },
  testTeamPath: {
    method: 'POST',
    path: '/api/teams/:name/paths',
    summary: 'Whether the path policy of a team, stored or given, lets its members read or write a path, and why.',
    params,
    body: TeamPathQuestion,
    responses: { 200: { description: 'The verdict.', schema: PathVerdict } },
    errors: ['TEAM_NOT_FOUND'],
  },
  decideTeamCalls: {
    method: 'GET',
    path: '/api/teams/:name/decisions',
    summary: 'Who would answer each tool now, and why.',
    params,
    query: z.object({ tool: z.string().max(100).optional().describe('One tool of the team, or of its members.') }),
    responses: { 200: { description: 'The decisions.', schema: z.object({ decisions: z.array(TeamDecision) }) } },
    errors: ['TEAM_NOT_FOUND'],
  },
  listTeamCalls: {
    method: 'GET',
    path: '/api/teams/:name/calls',
    summary: 'Calls that the team works on, then those that wait, in their order.',
    params,
    responses: { 200: { description: 'The calls.', schema: z.object({ calls: z.array(TeamCall) }) } },
    errors: ['TEAM_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>
