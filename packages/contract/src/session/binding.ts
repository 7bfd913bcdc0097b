import { z } from 'zod'
import { ConnectorName, NamedValue, NamedValueView, OptionChanges } from '../connector/connector.ts'
import { SessionName } from './session.ts'

const overrides = {
  enabled: z.boolean(),
  headers: z.array(NamedValue).max(100).describe('Set instead of, or besides, those of the connector.'),
  env: z.array(NamedValue).max(100).describe('The same for variables.'),
  options: OptionChanges.describe('Options that differ from those of the connector.'),
  cwd: z.string().max(4096).nullable().describe('Working directory of its server; null = as the connector has it.'),
  allowedTools: z
    .array(z.string().min(1).max(200))
    .max(500)
    .nullable()
    .describe('Globs of the tools that the session may use, by their names at the server; null = all.'),
}

/** A connector attached to a session, with what differs there. */
export const BindingInput = z.strictObject({
  session: SessionName,
  connector: ConnectorName,
  enabled: overrides.enabled.default(true),
  headers: overrides.headers.default([]),
  env: overrides.env.default([]),
  options: overrides.options.prefault({}),
  cwd: overrides.cwd.default(null),
  allowedTools: overrides.allowedTools.default(null),
})
export type BindingInput = z.input<typeof BindingInput>
export type Binding = z.output<typeof BindingInput>

/** Absent fields stay as they are; a secret without a value keeps the stored one. */
export const BindingPatch = z.strictObject(overrides).partial()
export type BindingPatch = z.infer<typeof BindingPatch>

/** One value as it is in effect, and who said so. */
export const EffectiveValue = z.object({
  field: z.string().describe('For example headers.Authorization, options.requestTimeoutMs, workingDir, tools.allow.'),
  value: z.unknown().describe('Null for a secret, of which only the fact that it is stored is shown.'),
  secret: z.boolean(),
  source: z.enum(['default', 'connector', 'session', 'binding']),
})
export type EffectiveValue = z.infer<typeof EffectiveValue>

export const BindingView = z.object({
  session: z.string(),
  connector: z.string(),
  enabled: z.boolean(),
  headers: z.array(NamedValueView),
  env: z.array(NamedValueView),
  options: z.record(z.string(), z.unknown()),
  cwd: z.string().nullable(),
  allowedTools: z.array(z.string()).nullable(),
  hasOwnDownstream: z.boolean().describe('True when an override makes it need a connection or process of its own.'),
  effective: z.array(EffectiveValue),
  tools: z.array(z.string()).describe('Tools that the session may use, by the names that its model sees.'),
  problem: z.string().nullable(),
  updatedAt: z.iso.datetime(),
})
export type BindingView = z.infer<typeof BindingView>
