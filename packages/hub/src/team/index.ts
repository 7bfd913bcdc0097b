export { openTeams, type OpenTeams, type OpenTeamsOptions } from './open-teams.ts'
export type { SessionFacts, SessionWork, TeamServer, TeamServers, TeamSessions } from './ports.ts'
