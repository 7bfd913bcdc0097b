/** The path of a user, with what follows it. */
export function userPath(name: string, rest = ''): string {
  return `/api/access/users/${encodeURIComponent(name)}${rest}`
}
