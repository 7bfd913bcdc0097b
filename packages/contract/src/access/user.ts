import { z } from 'zod'
import { Scope } from './access.ts'
import { Role } from './principal.ts'

const UserName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'A user is named with up to 63 of a-z, 0-9, ".", "_" and "-".')

const Email = z
  .email('Write an address such as ada@example.com, or null.')
  .max(254)
  .refine((email) => !email.endsWith('.invalid'), 'An address under .invalid belongs to nobody. Leave it out.')

const userFields = {
  role: Role,
  email: Email.nullable().describe('Lets the user sign in with it, and be found by an identity provider.'),
  disabled: z.boolean().describe('Whether sign-ins and tokens of the user are refused.'),
}

/** A user to be added. The answer holds the code with which the user sets a password. */
export const UserInput = z.strictObject({
  name: UserName,
  role: userFields.role.default('member'),
  email: userFields.email.default(null),
})
export type UserInput = z.input<typeof UserInput>

/** Absent fields stay as they are. */
export const UserPatch = z.strictObject(userFields).partial()
export type UserPatch = z.infer<typeof UserPatch>

/** Somebody who signs in. */
export const UserView = z.object({
  name: z.string(),
  role: Role,
  email: z.string().nullable(),
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  twoFactor: z.boolean().describe('Whether a code of an authenticator app is asked for.'),
  providers: z.array(z.string()).describe('Identity providers through which the user has signed in.'),
  createdAt: z.iso.datetime(),
  lastSignInAt: z.iso.datetime().nullable(),
})
export type UserView = z.infer<typeof UserView>

/** How a user sets a password. The code works once. */
export const PasswordSetup = z.object({
  url: z.string().describe('The page where the user enters the code.'),
  code: z.string().meta({ secret: true }).describe('Shown once: hand it over now.'),
  expiresAt: z.iso.datetime(),
})
export type PasswordSetup = z.infer<typeof PasswordSetup>

/** The only answer that holds the code. */
export const UserSetup = z.object({ user: UserView, setup: PasswordSetup })
export type UserSetup = z.infer<typeof UserSetup>

/** What a user allowed an OAuth client. */
export const GrantView = z.object({
  id: z.string(),
  user: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  scopes: z.array(z.string()),
  servers: z.array(z.string()).describe('Served servers that the client may use in the name of the user.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type GrantView = z.infer<typeof GrantView>

const IssuerUrl = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((url) => /^https:|^http:\/\/(127(\.\d+){3}|localhost|\[::1\])(:|\/|$)/.test(url), {
    error: 'Write an https URL; http is for this machine only.',
  })
  .refine((url) => !/[?#@]/.test(url), 'Write it without user, query and fragment.')
  .describe('Spelt exactly as the issuer spells itself.')

const SlugName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Name it with up to 40 of a-z, 0-9 and "-".')

const Secret = z.string().min(1).max(4096).meta({ secret: true })

const Domain = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/, 'Write a domain such as example.com.')

const problem = z.string().nullable().describe('Why it cannot be used; null when it can.')

const providerFields = {
  name: SlugName,
  label: z.string().min(1).max(60).describe('Text of the button on the sign-in page.'),
  issuer: IssuerUrl,
  clientId: z.string().min(1).max(500),
  domains: z.array(Domain).max(100).describe('Domains of e-mail addresses that may sign in; empty = any.'),
  createUsers: z.boolean().describe('Whether somebody who signs in for the first time becomes a user.'),
  role: Role.exclude(['owner']).describe('Role of users who are made so.'),
}

/** An identity provider (OpenID Connect) to sign in with. */
export const IdentityProviderInput = z
  .strictObject({
    ...providerFields,
    clientSecret: Secret,
    domains: providerFields.domains.default([]),
    createUsers: providerFields.createUsers.default(false),
    role: providerFields.role.default('member'),
  })
  .refine(({ createUsers, domains }) => !createUsers || domains.length > 0, {
    path: ['domains'],
    error: 'Name the domains whose people become users; otherwise anybody with an account there would.',
  })
export type IdentityProviderInput = z.input<typeof IdentityProviderInput>

export const IdentityProviderView = z.object({
  ...providerFields,
  callbackUrl: z.string().describe('The redirect URI to register at the provider.'),
  problem,
  createdAt: z.iso.datetime(),
})
export type IdentityProviderView = z.infer<typeof IdentityProviderView>

const issuerFields = {
  issuer: IssuerUrl,
  audience: z.string().max(500).nullable().describe('What its tokens say in aud; null = the URL of the server.'),
  role: Role.exclude(['owner']).describe('Role of whoever comes with its token.'),
  scopes: z.array(Scope).describe("What a token may do that carries none of Herma's scopes."),
}

/** Another authorization server whose access tokens count. */
export const TrustedIssuerInput = z.strictObject({
  name: SlugName,
  issuer: issuerFields.issuer,
  audience: issuerFields.audience.default(null),
  role: issuerFields.role.default('member'),
  scopes: issuerFields.scopes.default(['mcp']),
  introspection: z
    .strictObject({ clientId: z.string().min(1).max(500), clientSecret: Secret })
    .nullable()
    .default(null)
    .describe('As which client it is asked about opaque tokens; null = its tokens are JWTs.'),
})
export type TrustedIssuerInput = z.input<typeof TrustedIssuerInput>

export const TrustedIssuerView = z.object({
  name: z.string(),
  ...issuerFields,
  introspectionClientId: z.string().nullable(),
  problem,
  createdAt: z.iso.datetime(),
})
export type TrustedIssuerView = z.infer<typeof TrustedIssuerView>
