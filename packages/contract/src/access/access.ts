import { z } from 'zod'
import { AllowedCommand } from './allowed-command.ts'
import { Role } from './principal.ts'

const HostName = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/, 'Write a host, or host:port.')
const Origin = z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/, 'Write an origin: scheme://host:port.')

// Everything that the hub serves begins at the root of its address, so a path in it would lead nowhere.
const PublicUrl = z
  .url({ protocol: /^https?$/, error: 'Write an address such as https://mcp.example.com.', abort: true })
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, 'Write only scheme, host and port.')
  .overwrite((url) => (URL.canParse(url) ? new URL(url).origin : url))

const HostPattern = z.string().regex(/^(\*\.)?(?=.*[A-Za-z])[A-Za-z0-9_][A-Za-z0-9._-]*$/)
const Reachable = z
  .string()
  .max(255)
  .refine(
    (text) => [HostPattern, z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()].some((form) => form.safeParse(text).success),
    'Write a host, *.host, an address, or a range such as 10.0.0.0/8.',
  )

const Folder = z
  .string()
  .max(4096)
  .regex(/^(\/|[A-Za-z]:[\\/])/, 'Write an absolute path.')

/** A limit of null means none. */
export const PrincipalLimits = z.strictObject({
  callsPerMinute: z.number().int().min(1).max(1_000_000).nullable(),
  concurrency: z.number().int().min(1).max(10_000).nullable().describe('Calls under way at once.'),
})
export type PrincipalLimits = z.infer<typeof PrincipalLimits>

/** What one address may hold, beyond this machine. A limit of null means none. */
export const AddressLimits = z.strictObject({
  sockets: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('Sockets at once; behind a proxy on this machine, requests under way.'),
  connections: z.number().int().min(1).max(1_000_000).nullable().describe('MCP connections at once.'),
  opensPerMinute: z.number().int().min(1).max(1_000_000).nullable().describe('How often they may be opened.'),
})
export type AddressLimits = z.infer<typeof AddressLimits>

const Mebibytes = z.number().int().min(1).max(1_048_576)

/** Answers that wait in memory for clients that do not read, in MiB. */
export const MemoryLimits = z.strictObject({
  client: Mebibytes.describe('For one client.'),
  principal: Mebibytes.describe('For everything that one principal has connected.'),
  hub: Mebibytes.describe('For all of them together.'),
})
export type MemoryLimits = z.infer<typeof MemoryLimits>

/** How the hub can be reached, and what it may reach. */
export const AccessSettings = z.strictObject({
  publicUrl: PublicUrl.nullable()
    .default(null)
    .describe('Where others find the hub, for example https://mcp.example.com; null = only this machine.'),
  allowedHosts: z.array(HostName).max(100).default([]).describe('Further Host headers that name the hub.'),
  allowedOrigins: z.array(Origin).max(100).default([]).describe('Web pages that may use MCP servers of the hub.'),
  registration: z.boolean().default(false).describe('Whether OAuth clients may register themselves.'),
  privateAddresses: z
    .enum(['auto', 'allow', 'deny'])
    .default('auto')
    .describe('Whether connectors may lead to private addresses; auto = while only this machine reaches the hub.'),
  reachable: z.array(Reachable).max(200).default([]).describe('Hosts and CIDRs that may always be reached.'),
  limits: PrincipalLimits.prefault({ callsPerMinute: 600, concurrency: 32 }).describe(
    'For everybody but the operator, unless their key says otherwise.',
  ),
  perAddress: AddressLimits.prefault({ sockets: 1000, connections: 1000, opensPerMinute: 1200 }).describe(
    'For each address that is not this machine, whoever comes from there.',
  ),
  memory: MemoryLimits.prefault({ client: 16, principal: 32, hub: 64 }).describe(
    'MiB of answers that may wait for clients; above it, those that read nothing are cut off.',
  ),
  allowedCommands: z
    .array(AllowedCommand)
    .max(200)
    .default([])
    .describe('Commands that admins may have the hub run; any other is for owners to add.'),
  allowedFolders: z
    .array(Folder)
    .max(200)
    .default([])
    .describe('Folders in which admins may have sessions and commands work. Tests there are programs that run.'),
  allowedImages: z
    .array(z.string().min(1).max(1000))
    .max(200)
    .default([])
    .describe('Container images that admins may use; a * stands for letters, digits, ".", "_" and "-".'),
})
export type AccessSettings = z.infer<typeof AccessSettings>

/** Absent fields stay as they are. */
export const AccessSettingsPatch = z
  .strictObject({
    ...AccessSettings.shape,
    publicUrl: AccessSettings.shape.publicUrl.unwrap(),
    allowedHosts: AccessSettings.shape.allowedHosts.unwrap(),
    allowedOrigins: AccessSettings.shape.allowedOrigins.unwrap(),
    registration: z.boolean(),
    privateAddresses: AccessSettings.shape.privateAddresses.unwrap(),
    reachable: AccessSettings.shape.reachable.unwrap(),
    limits: PrincipalLimits,
    perAddress: AddressLimits,
    memory: MemoryLimits,
    allowedCommands: AccessSettings.shape.allowedCommands.unwrap(),
    allowedFolders: AccessSettings.shape.allowedFolders.unwrap(),
    allowedImages: AccessSettings.shape.allowedImages.unwrap(),
  })
  .partial()
export type AccessSettingsPatch = z.input<typeof AccessSettingsPatch>

export const Scope = z
  .enum(['mcp', 'mcp:read', 'admin'])
  .describe('mcp = use MCP servers; mcp:read = list and read only; admin = the management API, as far as its role may.')
export type Scope = z.infer<typeof Scope>

const KeyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'A key is named with up to 63 letters, digits, ".", "_" and "-".')

const keyFields = {
  role: Role.describe('What it may do at most; never more than the one who makes it.'),
  servers: z.array(z.string()).max(200).nullable().describe('Served servers that it is for; null = all.'),
  scopes: z.array(Scope).min(1),
  expiresAt: z.iso.datetime().nullable(),
  limits: PrincipalLimits.nullable().describe('null = those of the settings.'),
}

/** An API key to be made. */
export const ApiKeyInput = z.strictObject({
  name: KeyName,
  role: keyFields.role.default('member'),
  servers: keyFields.servers.default(null),
  scopes: keyFields.scopes.default(['mcp']),
  expiresAt: keyFields.expiresAt.default(null),
  limits: keyFields.limits.default(null),
})
export type ApiKeyInput = z.input<typeof ApiKeyInput>

export const ApiKeyView = z.object({
  name: KeyName,
  ...keyFields,
  hint: z.string().describe('How the key begins, to tell it from others.'),
  madeBy: z.string().describe('Id of the principal that made it.'),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
})
export type ApiKeyView = z.infer<typeof ApiKeyView>

/** The only answer that ever holds the key itself. */
export const NewApiKey = z.object({
  key: z.string().meta({ secret: true }).describe('Shown once: copy it now.'),
  view: ApiKeyView,
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** A link that signs a browser in as the operator, once. */
export const OperatorLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() })
export type OperatorLink = z.infer<typeof OperatorLink>

/** Whether the public URL leads to this hub. */
export const ReachReport = z.object({
  url: z.string(),
  ok: z.boolean(),
  ms: z.number(),
  cause: z.string().nullable(),
  fix: z.string().nullable().describe('The next step for a person.'),
})
export type ReachReport = z.infer<typeof ReachReport>
