/** The path of a search, with the fields that are given. */
export function registryPath(fields: {
  query: string
  registry?: string | undefined
  cursor?: string | undefined
}): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return `/api/discovery/registry?${new URLSearchParams(given).toString()}`
}
