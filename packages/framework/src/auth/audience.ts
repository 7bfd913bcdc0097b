/**
 * Whether the `aud` of a token names one of the audiences. The case of scheme and host and the slash of an empty path
 * do not matter, all else does: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function hasAudience(claim: unknown, audiences: readonly string[]): boolean {
  const claimed = (Array.isArray(claim) ? claim : [claim]).filter((entry) => typeof entry === 'string').map(canonical)
  return audiences.some((audience) => claimed.includes(canonical(audience)))
}

function canonical(uri: string): string {
  const [, origin, rest] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(uri) ?? []
  return origin === undefined ? uri : `${origin.toLowerCase()}${rest === '/' ? '' : rest}`
}
