/** Where the management API has a served server. */
export function serverPath(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}`
}
