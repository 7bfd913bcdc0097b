import { z } from 'zod'

/** What a backup is made of, in the order in which it is put back. */
export const BackupPartName = z.enum([
  'secrets',
  'access',
  'connectors',
  'sessions',
  'bindings',
  'teams',
  'servers',
  'overrides',
  'rules',
  'users',
  'keys',
  'identity providers',
  'trusted issuers',
  'trace settings',
  'captures',
  'discovery',
])
export type BackupPartName = z.infer<typeof BackupPartName>

const entry = z.record(z.string(), z.unknown())

/** Everything that configures a hub, without a single secret. Each entry is checked for itself when it is put back. */
export const Backup = z.object({
  format: z.literal('herma-backup', 'This is no backup of Herma.'),
  version: z.literal(1, 'This backup was written by a newer Herma. Update this one first.'),
  hub: z.string().describe('Version of the hub that wrote it.'),
  createdAt: z.iso.datetime(),
  parts: z.partialRecord(BackupPartName, z.array(entry).max(100_000)),
})
export type Backup = z.infer<typeof Backup>

export const RestoreRequest = z.strictObject({
  file: Backup,
  plan: z.boolean().default(false).describe('Only say what would be done.'),
})
export type RestoreRequest = z.input<typeof RestoreRequest>

/** What became, or would become, of a backup. */
export const RestoreReport = z.object({
  plan: z.boolean(),
  entries: z.array(
    z.object({
      part: BackupPartName,
      name: z.string(),
      action: z
        .enum(['add', 'change', 'keep', 'skip', 'fail'])
        .describe('keep = it is so already; skip = it cannot come from a backup; fail = it was refused, see why.'),
      why: z.string().nullable(),
    }),
  ),
  needed: z
    .array(z.object({ part: BackupPartName, name: z.string(), field: z.string() }))
    .describe('Secrets that have to be entered again.'),
})
export type RestoreReport = z.infer<typeof RestoreReport>
