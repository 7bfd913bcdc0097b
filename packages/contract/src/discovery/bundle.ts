import { z } from 'zod'
import { BundleName } from './bundle-name.ts'
import { ConnectorName, Transport } from '../connector/connector.ts'
import { DiscoveryNeed, NeededProgram } from './discovery.ts'

const text = (limit: number) => z.string().max(limit)

/** A value that the person who installs a bundle gives. `{need:ID}` in its connectors stands for it. */
export const BundleNeed = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'Use small letters, digits, "-" or "_", starting with a letter.'),
  description: text(1000).default(''),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  isRepeated: z.boolean().default(false),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).default('string'),
  default: text(4096).optional(),
  placeholder: text(1000).optional(),
  choices: z.array(text(1000)).max(100).default([]),
})
export type BundleNeed = z.infer<typeof BundleNeed>

const BundleValue = z.strictObject({ name: text(256).min(1), value: text(65_536), secret: z.boolean().optional() })

/** The file bundle.json: what a bundle is called and what it brings besides its catalog fragment. */
export const BundleManifest = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  name: BundleName,
  title: text(200).min(1),
  description: text(4000).default(''),
  needs: z.array(BundleNeed).max(100).default([]),
  connectors: z
    .array(
      z.strictObject({
        name: ConnectorName,
        description: text(4000).default(''),
        transport: Transport,
        baseUrl: text(4096).optional(),
        headers: z.array(BundleValue).max(100).default([]),
        cmd: text(4096).optional(),
        args: z.array(text(65_536)).max(500).default([]),
        env: z.array(BundleValue).max(500).default([]),
        workingDir: text(4096).optional(),
        options: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .max(100)
    .default([]),
})
export type BundleManifest = z.infer<typeof BundleManifest>

export const BundleView = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  isShipped: z.boolean().describe('Whether it comes with Herma.'),
  state: z
    .enum(['available', 'installed', 'changed', 'manual', 'broken'])
    .describe(
      'changed = by hand since it was installed; manual = its folder was put there by hand; broken = see problem.',
    ),
  problem: z.string().nullable(),
  folder: z.string(),
  installedAt: z.string().nullable(),
  connectors: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      command: z.string().nullable(),
      url: z.string().nullable(),
      state: z
        .enum(['absent', 'same', 'changed', 'other'])
        .describe('other = a connector of that name that the bundle did not bring.'),
    }),
  ),
  tools: z.array(z.string()).describe('Names of the tools that its catalog fragment makes.'),
  needs: z.array(DiscoveryNeed),
  programs: z.array(NeededProgram),
})
export type BundleView = z.infer<typeof BundleView>
