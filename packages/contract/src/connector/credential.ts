import { z } from 'zod'
import { SignInView } from './connector.ts'

const values = z
  .record(z.string().min(1).max(256), z.string().max(65_536).nullable().meta({ secret: true }))
  .default({})

/** Values of one's own for headers and variables that a connector marks as personal. They are never read back. */
export const CredentialsInput = z.strictObject({
  headers: values.describe('By name. An absent one stays as it is; null clears it.'),
  env: values.describe('By name. An absent one stays as it is; null clears it.'),
})
export type CredentialsInput = z.input<typeof CredentialsInput>

/** A personal value as it is shown: only the fact that one is stored. */
export const PersonalValueView = z.object({
  place: z.enum(['headers', 'env']),
  name: z.string(),
  stored: z.boolean(),
})
export type PersonalValueView = z.infer<typeof PersonalValueView>

/** What one principal has for the server of a connector. */
export const CredentialsView = z.object({
  connector: z.string(),
  principal: z.string().describe('Whose they are; everybody where one sign-in serves all.'),
  credentials: z.enum(['shared', 'personal']),
  signIn: SignInView.nullable(),
  values: z.array(PersonalValueView),
})
export type CredentialsView = z.infer<typeof CredentialsView>

/** Who has credentials of its own for a connector: names, nothing else. */
export const CredentialHolder = z.object({
  principal: z.string(),
  signedIn: z.boolean(),
  values: z.number().int().describe('Values that are stored.'),
})
export type CredentialHolder = z.infer<typeof CredentialHolder>

/** For whom a sign-in is; absent = whoever asks. */
export const SignInRequest = z.strictObject({
  principal: z
    .string()
    .regex(/^(key|client):/, 'Others can be signed in only if they are keys or clients: key:NAME or client:ID.')
    .optional(),
})
export type SignInRequest = z.infer<typeof SignInRequest>
