export { openTeams, type OpenTeams, type OpenTeamsOptions } from './open-teams.ts'
export { TeamDirectory } from './team-directory.ts'
export type { MemberSession, SessionWork, TeamPaths, TeamServer, TeamServers, TeamSessions } from './ports.ts'
