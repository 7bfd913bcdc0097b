import { inspect } from 'node:util'
import { emit, type Events } from '../telemetry/events.ts'
import { hasScopes, type AuthAnswer, type AuthOutcome, type AuthRequest, type Principal } from './auth.ts'
import { IssuerUnavailable, TokenRefused } from './auth-failure.ts'
import { readBearerToken } from './bearer-token.ts'
import { challengeAnswer, unavailableAnswer, type ChallengeBase, type ChallengeError } from './challenge.ts'

export interface BearerCheck {
  readonly challenge: ChallengeBase
  /** Required of every request. */
  readonly scopes: readonly string[]
  readonly clockSkewS: number
  /** Undefined or `TokenRefused` refuse the token; any other error means that nobody could tell. */
  verify(token: string): Principal | undefined | Promise<Principal | undefined>
}

/** Every request with a bearer token passes here: found, verified, still valid, with the scopes that all requests need. */
export async function authenticateBearer(request: AuthRequest, check: BearerCheck): Promise<AuthOutcome> {
  let token: string | undefined
  try {
    token = readBearerToken(request)
    if (token === undefined) return refuse(request, 'missing', challengeFor(check, missing))
    const principal = await check.verify(token)
    if (principal === undefined) throw new TokenRefused('invalid', 'The access token is not known here.')
    if (hasExpired(principal, check.clockSkewS)) throw new TokenRefused('expired', 'The access token has expired.')
    if (!hasScopes(principal, check.scopes)) return { refused: challengeForScopes(request, check, []) }
    report(request, 'ok')
    return { principal }
  } catch (error) {
    if (error instanceof TokenRefused) {
      const problem = { error: 'invalid_token', description: error.message } as const
      return refuse(request, error.outcome, challengeFor(check, problem))
    }
    reportError(request, withoutToken(error, token))
    return refuse(request, 'unavailable', unavailableAnswer())
  }
}

/** The 403 that lets a client ask for more: all that the request needs at once, so that one more round is enough. */
export function challengeForScopes(request: AuthRequest, check: BearerCheck, scopes: readonly string[]): AuthAnswer {
  const needed = [...new Set([...check.scopes, ...scopes])]
  const description = `This needs the scope ${needed.join(' ')}, which the access token does not carry.`
  const answer = challengeAnswer(check.challenge, { error: 'insufficient_scope', description, scopes: needed })
  report(request, 'scope', answer.status)
  return answer
}

const missing = { description: "Send an access token in the Authorization header: 'Bearer <token>'." }

function challengeFor(check: BearerCheck, problem: Omit<ChallengeError, 'scopes'>): AuthAnswer {
  return challengeAnswer(check.challenge, { ...problem, scopes: check.scopes })
}

function hasExpired(principal: Principal, clockSkewS: number): boolean {
  return principal.expiresAt !== undefined && principal.expiresAt + clockSkewS <= Date.now() / 1000
}

type Outcome = Events['mcp.auth']['outcome']

function refuse(request: AuthRequest, outcome: Outcome, refused: AuthAnswer): AuthOutcome {
  report(request, outcome, refused.status)
  return { refused }
}

function report(request: AuthRequest, outcome: Outcome, status?: number): void {
  emit('mcp.auth', () => ({ server: serverOf(request), outcome, ...(status === undefined ? {} : { status }) }))
}

const reported = new WeakSet<Error>()

// One failure of an issuer is remembered and meets many requests; people hear of it once.
function reportError(request: AuthRequest, error: Error): void {
  if (reported.has(error)) return
  reported.add(error)
  emit('mcp.error', () => ({ server: serverOf(request), error }))
}

function serverOf(request: AuthRequest): string {
  return request.server ?? request.url.host
}

// Functions of the author may put the token into what they throw, and events end up in logs.
function withoutToken(error: unknown, token: string | undefined): Error {
  const text = inspect(error, { depth: 10, maxStringLength: null, maxArrayLength: null })
  if (token !== undefined && text.includes(token)) {
    return new IssuerUnavailable('A token could not be checked; the error quoted the token, so it is withheld.')
  }
  return error instanceof Error ? error : new IssuerUnavailable(`A token could not be checked: ${text}`)
}
