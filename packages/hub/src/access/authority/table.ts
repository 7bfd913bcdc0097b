import { boolean, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'

// Tables whose properties are named in camel case as better-auth names its fields are read and written by it too.

const instant = (name: string) => timestamp(name, { withTimezone: true })

/** Users. A user without an address of their own has one under herma.invalid. */
export const authUserTable = pgTable('auth_user', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  email: text().notNull().unique(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text(),
  role: text().notNull(),
  disabled: boolean().notNull().default(false),
  twoFactorEnabled: boolean('two_factor_enabled').default(false),
  lastSignInAt: instant('last_sign_in_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

const userId = () => text('user_id').references(() => authUserTable.id, { onDelete: 'cascade' })

/** Browsers that are signed in. A cookie carries the token with a signature, so a row alone opens nothing. */
export const authSessionTable = pgTable(
  'auth_session',
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: userId().notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
)

/** Ways in which a user signs in: a password (hashed), or an account at an identity provider. */
export const authAccountTable = pgTable(
  'auth_account',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: userId().notNull(),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: text(),
    password: text(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index().on(table.userId), uniqueIndex().on(table.providerId, table.accountId)],
)

/** What waits for an answer: authorization codes (hashed), states of sign-ins elsewhere, second factors. */
export const authVerificationTable = pgTable(
  'auth_verification',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index().on(table.identifier)],
)

/** Secrets of authenticator apps and backup codes, encrypted. */
export const authTwoFactorTable = pgTable(
  'auth_two_factor',
  {
    id: text().primaryKey(),
    secret: text().notNull(),
    backupCodes: text('backup_codes').notNull(),
    userId: userId().notNull(),
    verified: boolean().default(true),
    failedVerificationCount: integer('failed_verification_count').default(0),
    lockedUntil: instant('locked_until'),
  },
  (table) => [index().on(table.userId)],
)

/** Keys that sign access tokens; the private half is encrypted. */
export const authKeyTable = pgTable('auth_key', {
  id: text().primaryKey(),
  publicKey: text('public_key').notNull(),
  privateKey: text('private_key').notNull(),
  alg: text(),
  crv: text(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at'),
})

/** OAuth clients that registered themselves, or whose metadata document was read. */
export const authClientTable = pgTable('auth_client', {
  id: text().primaryKey(),
  clientId: text('client_id').notNull().unique(),
  clientSecret: text('client_secret'),
  clientDiscoveryId: text('client_discovery_id'),
  disabled: boolean().default(false),
  skipConsent: boolean('skip_consent'),
  enableEndSession: boolean('enable_end_session'),
  subjectType: text('subject_type'),
  scopes: text().array(),
  clientCredentialsScopes: text('client_credentials_scopes').array(),
  userId: userId(),
  name: text(),
  uri: text(),
  icon: text(),
  contacts: text().array(),
  tos: text(),
  policy: text(),
  softwareId: text('software_id'),
  softwareVersion: text('software_version'),
  softwareStatement: text('software_statement'),
  redirectUris: text('redirect_uris').array().notNull(),
  postLogoutRedirectUris: text('post_logout_redirect_uris').array(),
  backchannelLogoutUri: text('backchannel_logout_uri'),
  backchannelLogoutSessionRequired: boolean('backchannel_logout_session_required'),
  tokenEndpointAuthMethod: text('token_endpoint_auth_method'),
  applicationType: text('application_type'),
  jwks: text(),
  jwksUri: text('jwks_uri'),
  grantTypes: text('grant_types').array(),
  responseTypes: text('response_types').array(),
  requirePKCE: boolean('require_pkce'),
  dpopBoundAccessTokens: boolean('dpop_bound_access_tokens').default(false),
  referenceId: text('reference_id'),
  metadata: jsonb(),
  /** When a metadata document has to be read again. */
  freshUntil: instant('fresh_until'),
  createdAt: instant('created_at').defaultNow(),
  updatedAt: instant('updated_at').defaultNow(),
})

const clientId = () =>
  text('client_id')
    .notNull()
    .references(() => authClientTable.clientId, { onDelete: 'cascade' })

/** What access tokens are issued for: the served servers, and the management API. */
export const authResourceTable = pgTable('auth_resource', {
  id: text().primaryKey(),
  identifier: text().notNull().unique(),
  name: text().notNull(),
  accessTokenTtl: integer('access_token_ttl'),
  refreshTokenTtl: integer('refresh_token_ttl'),
  signingAlgorithm: text('signing_algorithm'),
  signingKeyId: text('signing_key_id'),
  allowedScopes: text('allowed_scopes').array(),
  customClaims: jsonb('custom_claims'),
  dpopBoundAccessTokensRequired: boolean('dpop_bound_access_tokens_required').default(false),
  disabled: boolean().default(false),
  policyVersion: integer('policy_version').default(1),
  metadata: jsonb(),
  createdAt: instant('created_at'),
  updatedAt: instant('updated_at'),
})

/** Not used by us, but better-auth wants it: every client may ask for every resource, and users decide. */
export const authClientResourceTable = pgTable(
  'auth_client_resource',
  {
    id: text().primaryKey(),
    clientId: clientId(),
    resourceId: text('resource_id')
      .notNull()
      .references(() => authResourceTable.identifier, { onDelete: 'cascade' }),
    metadata: jsonb(),
    createdAt: instant('created_at'),
  },
  (table) => [uniqueIndex().on(table.clientId, table.resourceId)],
)

// Made anew for each table: drizzle keeps the name of a constraint in the column.
const tokenColumns = () => ({
  id: text().primaryKey(),
  /** Hashed. */
  token: text().notNull().unique(),
  clientId: clientId(),
  sessionId: text('session_id').references(() => authSessionTable.id, { onDelete: 'set null' }),
  referenceId: text('reference_id'),
  authorizationCodeId: text('authorization_code_id'),
  resources: text().array(),
  requestedUserInfoClaims: text('requested_user_info_claims').array(),
  scopes: text().array().notNull(),
  confirmation: jsonb(),
  expiresAt: instant('expires_at').notNull(),
  createdAt: instant('created_at').notNull(),
  revoked: instant('revoked'),
})

/** Refresh tokens. A rotated one stays until it expires, so that its reuse is noticed. */
export const authRefreshTokenTable = pgTable(
  'auth_refresh_token',
  {
    ...tokenColumns(),
    userId: userId().notNull(),
    rotatedAt: instant('rotated_at'),
    rotationReplayResponse: text('rotation_replay_response'),
    rotationReplayExpiresAt: instant('rotation_replay_expires_at'),
    authTime: instant('auth_time'),
  },
  (table) => [
    index().on(table.userId, table.clientId),
    index().on(table.authorizationCodeId),
    index().on(table.sessionId),
  ],
)

/** Opaque access tokens. Ours are JWTs, so it stays empty. */
export const authAccessTokenTable = pgTable('auth_access_token', {
  ...tokenColumns(),
  userId: userId(),
  refreshId: text('refresh_id').references(() => authRefreshTokenTable.id, { onDelete: 'cascade' }),
})

/** What users allowed clients. */
export const authConsentTable = pgTable(
  'auth_consent',
  {
    id: text().primaryKey(),
    clientId: clientId(),
    userId: userId(),
    referenceId: text('reference_id'),
    resources: text().array(),
    requestedUserInfoClaims: text('requested_user_info_claims').array(),
    scopes: text().array().notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [index().on(table.userId, table.clientId)],
)

/** Ids of assertions with which clients proved themselves, so that none works twice. */
export const authAssertionTable = pgTable('auth_assertion', {
  id: text().primaryKey(),
  expiresAt: instant('expires_at').notNull(),
})

/** Codes with which users set a password, hashed. */
export const authPasswordCodeTable = pgTable('auth_password_code', {
  userId: userId().primaryKey(),
  hash: text().notNull(),
  expiresAt: instant('expires_at').notNull(),
})

/** Access tokens that were revoked before they expire: those of a subject issued until an instant. */
export const authRevocationTable = pgTable('auth_revocation', {
  /** `token:ID`, `grant:USER:CLIENT` or `user:USER`. */
  subject: text().primaryKey(),
  issuedUntil: instant('issued_until').notNull(),
  /** When every token that it is about has expired. */
  expiresAt: instant('expires_at').notNull(),
})

/** Identity providers to sign in with. */
export const authProviderTable = pgTable('auth_provider', {
  name: text().primaryKey(),
  label: text().notNull(),
  issuer: text().notNull(),
  clientId: text('client_id').notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  domains: text().array().notNull(),
  createUsers: boolean('create_users').notNull(),
  role: text().notNull(),
  /** Its endpoints as discovery found them. */
  endpoints: jsonb().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** Other authorization servers whose tokens count. */
export const authIssuerTable = pgTable('auth_issuer', {
  name: text().primaryKey(),
  issuer: text().notNull().unique(),
  audience: text(),
  role: text().notNull(),
  scopes: text().array().notNull(),
  introspectionClientId: text('introspection_client_id'),
  sealedSecret: text('sealed_secret'),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** One row: the sealed secret of the authorization server, and a number that grows with every change. */
export const authStateTable = pgTable('auth_state', {
  id: integer().primaryKey(),
  sealedSecret: text('sealed_secret').notNull(),
  /** Hubs that share the store compare it to learn that somebody else revoked or changed something. */
  revision: integer().notNull().default(0),
})
