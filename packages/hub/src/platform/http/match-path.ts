import { HubError } from '@herma/contract'

/** Compares a route's path with that of a request; returns the decoded parameters, or undefined for another path. */
export function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = pathname.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined
    } else {
      if (value === '') return undefined
      params[segment.slice(1)] = decode(value)
    }
  }
  return params
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new HubError('INVALID_REQUEST', `'${segment}' in the path is not valid percent-encoding.`, { cause })
  }
}
