/** The path of a team, with what follows it. */
export function teamPath(name: string, rest = ''): string {
  return `/api/teams/${encodeURIComponent(name)}${rest}`
}

/** The path of a member. */
export function memberPath(team: string, session: string): string {
  return teamPath(team, `/members/${encodeURIComponent(session)}`)
}
