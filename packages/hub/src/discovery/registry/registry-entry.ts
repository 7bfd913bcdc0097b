import { z } from 'zod'

const text = z.string().max(10_000)

const Input = z.object({
  description: text.optional(),
  isRequired: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).catch('string').optional(),
  value: text.optional(),
  isSecret: z.boolean().optional(),
  default: text.optional(),
  placeholder: text.optional(),
  choices: z.array(text).max(100).optional(),
})

const InputWithVariables = Input.extend({ variables: z.record(z.string().max(200), Input).optional() })
export type RegistryInput = z.infer<typeof InputWithVariables>

const NamedInput = InputWithVariables.extend({ name: z.string().min(1).max(256) })
export type RegistryNamedInput = z.infer<typeof NamedInput>

const Argument = z.discriminatedUnion('type', [
  InputWithVariables.extend({
    type: z.literal('positional'),
    valueHint: z.string().max(200).optional(),
    isRepeated: z.boolean().optional(),
  }),
  NamedInput.extend({ type: z.literal('named'), isRepeated: z.boolean().optional() }),
])
export type RegistryArgument = z.infer<typeof Argument>

/** A package of a server, as the registry describes it. */
export const RegistryPackage = z.object({
  registryType: z.string().max(50),
  registryBaseUrl: z.string().max(2000).optional(),
  identifier: z.string().min(1).max(2000),
  version: z.string().max(300).optional(),
  runtimeHint: z.string().max(50).optional(),
  transport: z.object({ type: z.string().max(50) }),
  runtimeArguments: z.array(Argument).max(100).default([]),
  packageArguments: z.array(Argument).max(100).default([]),
  environmentVariables: z.array(NamedInput).max(100).default([]),
})
export type RegistryPackage = z.infer<typeof RegistryPackage>

/** An address of a server, as the registry describes it. */
export const RegistryRemote = z.object({
  type: z.string().max(50),
  url: z.string().min(1).max(4000),
  headers: z.array(NamedInput).max(100).default([]),
  variables: z.record(z.string().max(200), Input).default({}),
})
export type RegistryRemote = z.infer<typeof RegistryRemote>

/** A server and what the registry says about it: https://github.com/modelcontextprotocol/registry, API v0.1. */
export const RegistryEntry = z.object({
  server: z.object({
    name: z.string().min(1).max(300),
    description: z.unknown().optional(),
    title: z.unknown().optional(),
    version: z.string().max(300).default(''),
    repository: z.object({ url: z.unknown().optional() }).nullish().catch(undefined),
    websiteUrl: z.unknown().optional(),
    // One that cannot be read must not hide the others.
    packages: z.array(z.unknown()).max(50).nullish(),
    remotes: z.array(z.unknown()).max(50).nullish(),
  }),
  _meta: z
    .object({
      'io.modelcontextprotocol.registry/official': z
        .object({
          status: z.enum(['active', 'deprecated', 'deleted']).catch('active'),
          statusMessage: z.unknown().optional(),
          publishedAt: z.iso.datetime({ offset: true }).optional().catch(undefined),
        })
        .optional(),
    })
    .optional(),
})
export type RegistryEntry = z.infer<typeof RegistryEntry>

export const RegistryList = z.object({
  servers: z.array(z.unknown()).max(500),
  metadata: z.object({ nextCursor: z.string().max(1000).nullish() }).nullish(),
})
