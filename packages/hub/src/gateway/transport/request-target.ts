import type { IncomingMessage } from 'node:http'

/**
 * Makes a target in absolute form (`POST http://HOST/mcp`) one like all others, and says why that cannot be. A server has
 * to take both: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
export function toOriginForm(request: IncomingMessage): string | null {
  const { url = '/', headers } = request
  // 47 is the slash, which nearly every target begins with.
  if (url.charCodeAt(0) === 47 || url === '*') return null
  const match = /^https?:\/\/([^/?#@]+)((?:[/?].*)?)$/i.exec(url)
  if (match === null) return 'The target of the request is neither a path nor an address of this hub.'
  const [, authority, rest] = match as unknown as [string, string, string]
  // They have to be the same, and whoever looked at the other one would have been told something else.
  if (authority.toLowerCase() !== headers.host?.toLowerCase())
    return 'The target of the request and its Host header name two hosts.'
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  return null
}
