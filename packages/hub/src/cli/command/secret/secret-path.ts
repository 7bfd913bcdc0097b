export function secretPath(name: string, rest = ''): string {
  return `/api/secrets/${encodeURIComponent(name)}${rest}`
}
