/** How a server refused a request for want of authorization. */
export interface Challenge {
  readonly status: number
  /** The WWW-Authenticate header, where it sent one. */
  readonly header: string | null
  /** The Authorization header of the refused request. */
  readonly sent: string | null
}

/** True for a refusal that another token may lift: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization */
export function isChallenge(status: number, header: string | null): boolean {
  return status === 401 || (status === 403 && /\berror\s*=\s*"?insufficient_scope\b/.test(header ?? ''))
}

/** The value of a header in the flat list that undici gives. */
export function findHeader(headers: readonly Buffer[], name: string): string | null {
  for (let index = 0; index < headers.length; index += 2) {
    const candidate = headers[index]!
    if (candidate.length === name.length && candidate.toString('latin1').toLowerCase() === name)
      return headers[index + 1]!.toString('latin1')
  }
  return null
}
