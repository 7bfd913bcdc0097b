import { z } from 'zod'

/** What happens to a tool that is not as it was approved: nothing, a mark, or it is not served. */
export const PinPolicy = z.enum(['allow', 'warn', 'block'])
export type PinPolicy = z.infer<typeof PinPolicy>

export const Severity = z.enum(['info', 'warning', 'danger'])
export type Severity = z.infer<typeof Severity>

/** Something in a descriptor that a person should look at before a model reads it. */
export const ScanFinding = z.object({
  rule: z.string(),
  severity: Severity,
  path: z.string().describe('Where: inputSchema.properties.path.description'),
  excerpt: z.string().describe('The text around it; characters that do not show are escaped.'),
  message: z.string(),
})
export type ScanFinding = z.infer<typeof ScanFinding>

/** A finding, and the tool that it is about. */
export const ToolFinding = ScanFinding.extend({ connector: z.string(), tool: z.string() })
export type ToolFinding = z.infer<typeof ToolFinding>

/** A place where a long text differs, in words. */
export const TextHunk = z.object({
  line: z.number().describe('Line of the earlier text, from 1.'),
  before: z.string(),
  after: z.string(),
})
export type TextHunk = z.infer<typeof TextHunk>

export const FieldDifference = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  hunks: z.array(TextHunk).optional().describe('For long texts; before and after are shortened then.'),
})
export type FieldDifference = z.infer<typeof FieldDifference>

/** A tool of a server, and whether it is as it was approved. */
export const PinView = z.object({
  connectorId: z.string(),
  connector: z.string(),
  tool: z.string().describe("The tool's own name."),
  state: z.enum(['approved', 'pending', 'blocked']).describe('blocked = pending, and not served until approved.'),
  reason: z.enum(['new', 'changed']).nullable().describe('Why it is pending.'),
  isOffered: z.boolean().describe('False when the server does not list it any more.'),
  hash: z.string().describe('Of the tool as it was last seen; an approval names it.'),
  seenAt: z.iso.datetime().describe('When it was first seen like this.'),
  approvedHash: z.string().nullable(),
  approvedAt: z.iso.datetime().nullable(),
  risk: Severity.nullable().describe('The worst that the scan found; null = nothing.'),
})
export type PinView = z.infer<typeof PinView>

/** What a person needs to decide about a tool. */
export const PinReview = PinView.extend({
  approved: z.record(z.string(), z.unknown()).nullable().describe('As it was approved.'),
  current: z.record(z.string(), z.unknown()).nullable().describe('As it was last seen.'),
  differences: z.array(FieldDifference),
  findings: z.array(ScanFinding),
})
export type PinReview = z.infer<typeof PinReview>

/** The tool that was reviewed, by what it was then. */
export const PinApproval = z.strictObject({ tool: z.string().min(1), hash: z.string().regex(/^[0-9a-f]{64}$/) })
export type PinApproval = z.infer<typeof PinApproval>
