import { ToolOverride, type OverrideChange } from '@herma/contract'
import { z } from 'zod'
import { readJson } from '../read-json.ts'

/** What a person said about a tool; a field that is absent is as its server or a file has it. */
export interface OverrideDraft {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: ToolOverride['annotations'] | undefined
  /** Schemas are edited as text. */
  readonly inputSchema?: string | undefined
  readonly outputSchema?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
}

export type OverrideField = keyof OverrideDraft

const JsonText = z
  .string()
  .transform((text, context) => {
    const read = readJson(text)
    if ('value' in read) return read.value
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })
  .pipe(z.record(z.string(), z.unknown(), 'A schema is an object: { … }'))

/** The contract's schema, with JSON as it is typed. */
export const OverrideForm = ToolOverride.extend({ inputSchema: JsonText.optional(), outputSchema: JsonText.optional() })

export function toDraft(byHand: ToolOverride | null): OverrideDraft {
  if (byHand === null) return {}
  const { inputSchema, outputSchema, ...rest } = byHand
  return {
    ...rest,
    ...(inputSchema === undefined ? {} : { inputSchema: toText(inputSchema) }),
    ...(outputSchema === undefined || outputSchema === null ? {} : { outputSchema: toText(outputSchema) }),
  }
}

/** What a field begins with when a person wants to say it differently. */
export function beginField(field: OverrideField, exposed: unknown): OverrideDraft {
  switch (field) {
    case 'inputSchema':
    case 'outputSchema':
      return { [field]: toText(exposed ?? { type: 'object' }) }
    case 'tags':
      return { tags: Array.isArray(exposed) ? exposed.map(String) : [] }
    case 'annotations':
      return { annotations: {} }
    case 'enabled':
      return { enabled: false }
    case 'name':
    case 'title':
    case 'description':
      return { [field]: typeof exposed === 'string' ? exposed : '' }
  }
}

/** What has to be sent: fields that changed, and null for those that were taken back. */
export function changesOf(before: ToolOverride | null, after: ToolOverride): OverrideChange {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]) as Set<keyof ToolOverride>
  const changed = [...fields].filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after[field]))
  return Object.fromEntries(changed.map((field) => [field, after[field] ?? null]))
}

function toText(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
