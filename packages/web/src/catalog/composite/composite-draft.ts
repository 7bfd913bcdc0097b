import { CompositeInput } from '@herma/contract'
import { z } from 'zod'

/** A definition while it is edited; anything may be missing or wrong. */
export type Definition = Readonly<Record<string, unknown>>

export type CompositeKind = CompositeInput['kind']

/** What the editor holds: the definition, and the text that a person may be typing. */
export interface CompositeDraft {
  readonly definition: Definition
  readonly text: string
}

const starters: Record<CompositeKind, Definition> = {
  aggregate: {
    name: '',
    description: '',
    inputSchema: { type: 'object', properties: { operation: { type: 'string' } }, required: ['operation'] },
    operations: [{ value: '', downstreamTool: '' }],
  },
  pipeline: {
    name: '',
    description: '',
    inputSchema: { type: 'object', properties: {} },
    steps: [{ id: 'first', tool: '', arguments: {} }],
  },
}

export function startDraft(kind: CompositeKind): CompositeDraft {
  return toDraft(starters[kind])
}

export function toDraft(definition: Definition): CompositeDraft {
  return { definition, text: JSON.stringify(definition, null, 2) }
}

/** The contract's schema, which tells of the one alternative that was meant instead of that none fits. */
export const CompositeForm: z.ZodType<CompositeInput> = z.unknown().transform((value, context) => {
  const read = CompositeInput.safeParse(value)
  if (read.success) return read.data
  for (const { path, message } of read.error.issues.flatMap(flatten))
    context.addIssue({ code: 'custom', path, message, input: value })
  return z.NEVER
})

interface Flat {
  readonly path: PropertyKey[]
  readonly message: string
}

function flatten(issue: z.core.$ZodIssue): Flat[] {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: 'This field is not known.' }))
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.includes('undefined'))
    return [{ path, message: 'This is missing.' }]
  if (issue.code === 'too_small' && issue.origin === 'string') return [{ path, message: 'This is missing.' }]
  if (issue.code !== 'invalid_union') return [{ path, message }]
  // The alternative with the least wrong is the one that was meant.
  const [meant] = issue.errors.filter((each) => each.length > 0).toSorted((a, b) => a.length - b.length)
  if (meant === undefined) return [{ path, message }]
  return meant.flatMap(flatten).map((each) => ({ ...each, path: [...path, ...each.path] }))
}

/** Lists of a definition, whatever a person typed there. */
export function listOf(value: unknown): Definition[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

export function objectOf(value: unknown): Definition {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Definition) : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A part that is empty is left out rather than kept as an empty text. */
export function withPart(definition: Definition, part: Definition): Definition {
  const joined = Object.entries({ ...definition, ...part })
  return Object.fromEntries(joined.filter(([, value]) => value !== undefined))
}

/** A value in one line: text as it is, unless it could be taken for something else. */
export function showTemplate(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return looksLikeJson(value) ? JSON.stringify(value) : value
}

export function readTemplate(text: string): unknown {
  if (!looksLikeJson(text)) return text
  return JSON.parse(text) as unknown
}

function looksLikeJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // It is text.
    return false
  }
}
