import { createHash, timingSafeEqual } from 'node:crypto'
import { ConfigError } from '../protocol/errors.ts'
import type { Auth, Principal } from './auth.ts'
import { authenticateBearer, challengeForScopes, type BearerCheck } from './authenticate-bearer.ts'
import { isBearerToken } from './bearer-token.ts'

/** A token that is known beforehand, as itself or as the hexadecimal SHA-256 of it. */
export type KnownToken = ({ readonly token: string } | { readonly sha256: string }) & {
  readonly scopes?: readonly string[]
}

/** The tokens that are let in, as a list or by a function that looks them up. */
export type BearerOptions = {
  /** Shown in challenges. */
  readonly realm?: string
} & (
  | { /** By the name that becomes the principal's id. */ readonly tokens: Readonly<Record<string, KnownToken>> }
  | { readonly lookup: (token: string) => Principal | undefined | Promise<Principal | undefined> }
)

/**
 * Lets in whoever has one of some known tokens, for personal servers.
 * Such tokens never expire by themselves and clients cannot ask for one: `oauth` is for servers that others use.
 */
export function bearer(options: BearerOptions): Auth {
  const check: BearerCheck = {
    challenge: options.realm === undefined ? {} : { realm: options.realm },
    scopes: [],
    clockSkewS: 0,
    verify: 'lookup' in options ? options.lookup : lookupIn(options.tokens),
  }
  return {
    authenticate: (request) => authenticateBearer(request, check),
    challenge: (scopes, request) => challengeForScopes(request, check, scopes),
  }
}

function lookupIn(tokens: Readonly<Record<string, KnownToken>>): (token: string) => Principal | undefined {
  const known = Object.entries(tokens).map(([name, entry]) => ({
    digest: digestOf(name, entry),
    principal: { id: name, scopes: entry.scopes ?? [] },
  }))
  if (known.length === 0) throw new ConfigError('bearer() has no tokens.', "Write tokens: { me: { token: '…' } }.")
  const different = new Set(known.map(({ digest }) => digest.toString('hex')))
  if (different.size < known.length) {
    throw new ConfigError('Two names of bearer() have the same token.', 'Give each name a token of its own.')
  }
  return (token) => {
    const digest = sha256(token)
    // All are compared, whichever fits, so that the time tells nothing.
    return known.filter((entry) => timingSafeEqual(entry.digest, digest))[0]?.principal
  }
}

function digestOf(name: string, entry: KnownToken): Buffer {
  if ('sha256' in entry) {
    if (/^[0-9a-f]{64}$/i.test(entry.sha256)) return Buffer.from(entry.sha256, 'hex')
    throw new ConfigError(
      `The sha256 of the token '${name}' is no SHA-256.`,
      "Write the 64 hexadecimal digits that `printf %s 'the token' | sha256sum` prints.",
    )
  }
  // At run time it may come undefined out of an environment variable.
  if (typeof entry.token === 'string' && isBearerToken(entry.token)) return sha256(entry.token)
  throw new ConfigError(
    `The token '${name}' is empty, or has characters that no Authorization header may carry.`,
    'Make one with `openssl rand -hex 32`, and check that its environment variable is set.',
  )
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
