import { hash } from 'node:crypto'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ClientDiscovery } from '@better-auth/oauth-provider'
import type { Log } from '../../platform/log.ts'
import { authPath } from './resource/metadata.ts'
import { nameOfEmail } from './provider/name-of-email.ts'
import { signInConfig } from './provider/sign-in-config.ts'
import type { StoredProvider } from './provider/store.ts'
import { allScopes, type ServedResource } from './resource/served-resource.ts'
import { accessTokenMs } from './user/revocations.ts'
import type { UserStore } from './user/store.ts'
import * as table from './table.ts'

export interface EngineOptions {
  readonly db: NodePgDatabase
  readonly users: Pick<UserStore, 'findById' | 'find'>
  readonly documents: ClientDiscovery
  readonly log: Log
  readonly secret: string
  readonly publicUrl: string
  readonly issuer: string
  readonly registration: boolean
  readonly resources: readonly ServedResource[]
  readonly providers: readonly StoredProvider[]
}

export type Engine = Awaited<ReturnType<typeof createEngine>>

const daysS = 24 * 60 * 60

/** Cookies of hubs on other ports of this machine are sent to all of them, so their names differ. */
export function cookiePrefixOf(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' ? '__Host-herma' : `herma-${port || '80'}`
}

/** How refresh tokens and codes are kept. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/**
 * better-auth as it serves this hub. Importing it takes 0.6 s, so nothing imports it before it is needed; it is made anew
 * when the settings change, which is cheap. Only `endpoints.ts` and our pages reach it: its own API is not served.
 */
export async function createEngine(options: EngineOptions) {
  const { db, users, log, publicUrl, issuer, registration, providers } = options
  const [
    { betterAuth },
    { drizzleAdapter },
    { jwt },
    { twoFactor },
    { genericOAuth },
    { oauthProvider },
    { APIError },
  ] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/adapters/drizzle'),
    import('better-auth/plugins/jwt'),
    import('better-auth/plugins/two-factor'),
    import('better-auth/plugins/generic-oauth'),
    import('@better-auth/oauth-provider'),
    import('better-auth/api'),
  ])
  const isSecure = publicUrl.startsWith('https:')
  return betterAuth({
    appName: 'Herma',
    baseURL: publicUrl,
    basePath: authPath,
    secret: options.secret,
    telemetry: { enabled: false },
    // Its spans would be in no trace of ours, and what they need is not there once it is bundled.
    experimental: { instrumentation: { enabled: false } },
    database: drizzleAdapter(db, { provider: 'pg', schema, transaction: true }),
    // What it logs besides the message may quote what people sent.
    logger: {
      level: 'warn',
      log: (level, message) => log[level === 'error' ? 'error' : 'warn'](`sign-in: ${message}`),
    },
    // Ours counts by name and address and knows about backing off.
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 12, maxPasswordLength: 256 },
    session: { expiresIn: 7 * daysS, disableSessionRefresh: true },
    account: {
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, requireLocalEmailVerified: true, trustedProviders: [] },
    },
    user: {
      additionalFields: { role: { type: 'string', input: false }, disabled: { type: 'boolean', input: false } },
    },
    onAPIError: {
      errorURL: `${publicUrl}${authPath}/error`,
      onError: (error) => {
        if (!(error instanceof APIError)) log.error('sign-in failed', { error })
      },
    },
    advanced: {
      useSecureCookies: false,
      cookiePrefix: cookiePrefixOf(publicUrl),
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
    },
    databaseHooks: {
      user: {
        create: {
          // Only an identity provider makes users this way; ours are made in user/.
          before: async (user, ctx) => {
            const provider = providers.find(({ name }) => name === (ctx?.params as { id?: string } | undefined)?.id)
            if (provider?.createUsers !== true) throw new APIError('FORBIDDEN', { code: 'signup_disabled' })
            const name = await nameOfEmail(user.email, async (taken) => (await users.find(taken)) !== null)
            return { data: { ...user, name, role: provider.role, disabled: false } }
          },
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            const user = await users.findById(userId)
            if (user === null || user.disabled) throw new APIError('UNAUTHORIZED', { code: 'user_disabled' })
          },
        },
      },
      account: {
        create: {
          // Nobody asks the provider again in the name of the user, so its tokens are not kept.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
    },
    plugins: [
      jwt({
        jwt: { issuer },
        jwks: { rotationInterval: 30 * daysS, gracePeriod: daysS },
        disableSettingJwtHeader: true,
      }),
      twoFactor({ issuer: 'Herma' }),
      genericOAuth({ config: providers.map(signInConfig) }),
      oauthProvider({
        loginPage: '/login',
        consentPage: '/consent',
        scopes: allScopes,
        grantTypes: ['authorization_code', 'refresh_token'],
        accessTokenExpiresIn: accessTokenMs / 1000,
        refreshTokenExpiresIn: 30 * daysS,
        // A client whose answer got lost may ask again; after that, a rotated token that comes back ends the grant.
        refreshTokenReuseInterval: 10,
        // Runs before a refresh token is rotated, so that who is let in again later goes on where they were.
        customAccessTokenClaims: ({ user }) => {
          if (user?.disabled === true) throw new APIError('BAD_REQUEST', { error: 'invalid_grant' })
          return {}
        },
        storeTokens: { hash: async (token) => hashToken(token) },
        resources: options.resources.map(({ server, url }) => ({ identifier: url, name: server ?? 'management API' })),
        enforcePerClientResources: false,
        allowDynamicClientRegistration: registration,
        allowUnauthenticatedClientRegistration: registration,
        extensions: [{ clientDiscovery: options.documents }],
        rateLimit: {
          token: false,
          authorize: false,
          introspect: false,
          revoke: false,
          register: false,
          userinfo: false,
        },
      }),
    ],
  })
}

/** By the names of better-auth. */
const schema = {
  user: table.authUserTable,
  session: table.authSessionTable,
  account: table.authAccountTable,
  verification: table.authVerificationTable,
  twoFactor: table.authTwoFactorTable,
  jwks: table.authKeyTable,
  oauthClient: table.authClientTable,
  oauthResource: table.authResourceTable,
  oauthClientResource: table.authClientResourceTable,
  oauthRefreshToken: table.authRefreshTokenTable,
  oauthAccessToken: table.authAccessTokenTable,
  oauthConsent: table.authConsentTable,
  oauthClientAssertion: table.authAssertionTable,
}
