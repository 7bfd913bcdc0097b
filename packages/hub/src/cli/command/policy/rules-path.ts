/** Where the management API has the rules, or one of them. */
export function rulesPath(id?: string): string {
  return id === undefined ? '/api/access/rules' : `/api/access/rules/${encodeURIComponent(id)}`
}
