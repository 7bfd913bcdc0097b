import { z } from 'zod'
import { secretNamePattern } from './secret-reference.ts'

export const SecretName = z
  .string()
  .regex(new RegExp(`^${secretNamePattern}$`), 'Use 1 to 64 letters, digits, "_", "." or "-", starting with a letter.')
  .describe('Unique name; connectors refer to it with {secret:NAME}.')

const description = z.string().max(1000)

/** A secret to be stored. Its value is written once and never read back. */
export const SecretInput = z.strictObject({
  value: z.string().min(1).max(65_536).optional().meta({ secret: true }).describe('Absent: the stored one stays.'),
  description: description.optional().describe('Absent: the stored one stays.'),
})
export type SecretInput = z.infer<typeof SecretInput>

/** A value that gets a name of its own: the proposed one, or one made from it where that is taken. */
export const StoreSecretInput = z.strictObject({
  name: SecretName.describe('A proposal; the answer says the name.'),
  value: z.string().min(1).max(65_536).meta({ secret: true }),
  description: description.optional(),
})
export type StoreSecretInput = z.infer<typeof StoreSecretInput>

/** For operations that take connectors. */
export const StoreSecretsFlag = z
  .enum(['true', 'false'])
  .default('false')
  .describe(
    'Stores every value that looks like a secret under a name, in arguments, address, headers and variables, and refers to it there.',
  )

/** A secret that the hub makes up. */
export const GenerateSecretInput = z.strictObject({
  bytes: z.number().int().min(16).max(256).default(32).describe('Random bytes; the value is their base64url.'),
  description: description.optional(),
})
export type GenerateSecretInput = z.input<typeof GenerateSecretInput>

/** A stored secret as it is shown: everything but its value. */
export const SecretView = z.object({
  name: SecretName,
  description: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe('When its value last changed.'),
  usedBy: z.array(z.string()).describe('Connectors that refer to it.'),
  problem: z.string().nullable().describe('Why it cannot be used, when it cannot.'),
})
export type SecretView = z.infer<typeof SecretView>

/** The only answer that holds the value of a secret. */
export const GeneratedSecret = SecretView.extend({
  value: z.string().meta({ secret: true }).describe('Shown this once.'),
})
export type GeneratedSecret = z.infer<typeof GeneratedSecret>

const Since = z.object({ id: z.string(), since: z.iso.datetime().nullable() })

/** The keys that seal secrets, by name and age. */
export const SecretKeysView = z.object({
  master: Since.extend({
    source: z.enum(['home', 'file', 'command']).describe('home = the state home; else what the environment names.'),
    next: Since.nullable().describe('A master key that was prepared and waits to be put in place.'),
  }),
  dataKeys: z.array(
    z.object({
      id: z.string(),
      state: z
        .enum(['active', 'resealing', 'retired', 'foreign'])
        .describe(
          'active = seals; resealing = values are being moved off it; retired = no value needs it, kept for a while; foreign = of another master key.',
        ),
      createdAt: z.iso.datetime(),
      retiredAt: z.iso.datetime().nullable(),
    }),
  ),
  unopened: z.number().int().describe('Stored values that no key opens.'),
})
export type SecretKeysView = z.infer<typeof SecretKeysView>

export const RotationInput = z.strictObject({
  master: z.boolean().optional().describe('The master key; absent: the data key.'),
  newKeyFile: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('A file on the machine of the hub with the next master key, where the hub cannot write it itself.'),
})
export type RotationInput = z.infer<typeof RotationInput>
