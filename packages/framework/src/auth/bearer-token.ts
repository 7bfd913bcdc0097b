import type { AuthRequest } from './auth.ts'
import { TokenRefused } from './auth-failure.ts'

// The alphabet of https://www.rfc-editor.org/rfc/rfc6750#section-2.1
const tokenForm = /^[\w\-.~+/]+=*$/
const maxLength = 16_384

/** The token of the Authorization header, undefined without one. It is never taken from the URL, which gets logged. */
export function readBearerToken(request: AuthRequest): string | undefined {
  const header = request.header('authorization')?.trim() ?? ''
  if (!/^bearer(\s|$)/i.test(header)) return undefined
  const token = header.slice('bearer'.length).trim()
  if (isBearerToken(token)) return token
  throw new TokenRefused('invalid', "The Authorization header must read 'Bearer', a space and one access token.")
}

export function isBearerToken(token: string): boolean {
  return token.length <= maxLength && tokenForm.test(token)
}
