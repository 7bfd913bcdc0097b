import type { ToolAnnotations } from '@herma/contract'
import { isObject, type Descriptor } from '../../wire/index.ts'

/** What a tool may do, as far as it says so. */
export interface Effects {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface Member {
  /** For notes. */
  readonly label: string
  readonly effects: Effects
}

/**
 * The annotations of a composite: as careful as its most careful member, unless its author states something else. A
 * statement that is safer than the members gets a note.
 */
export function deriveAnnotations(
  members: readonly Member[],
  stated: ToolAnnotations = {},
): { annotations: Record<string, unknown>; notes: string[] } {
  const derived: Effects = {
    readOnlyHint: members.every(({ effects }) => effects.readOnlyHint),
    destructiveHint: members.some(({ effects }) => effects.destructiveHint),
    idempotentHint: members.every(({ effects }) => effects.idempotentHint),
    openWorldHint: members.some(({ effects }) => effects.openWorldHint),
  }
  const notes = (Object.keys(safeValues) as (keyof Effects)[])
    .filter((hint) => stated[hint] === safeValues[hint] && derived[hint] !== safeValues[hint])
    .map((hint) => {
      const culprits = members.filter(({ effects }) => effects[hint] !== safeValues[hint]).map(({ label }) => label)
      const listed = culprits.length > 5 ? `${culprits.slice(0, 5).join(', ')} and others` : culprits.join(', ')
      return `It states ${hint}: ${stated[hint]}, which is safer than what is known of ${listed}.`
    })
  // Who says that nothing is changed, says that nothing is destroyed.
  const implied = stated.readOnlyHint === true ? { destructiveHint: false, idempotentHint: true } : {}
  return { annotations: { ...derived, ...implied, ...stated }, notes }
}

const safeValues: Effects = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/**
 * The effects that a descriptor admits to. What it does not say is taken as the specification does: it may write,
 * destroy and reach out. https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
export function effectsOf(descriptor: Descriptor | undefined): Effects {
  const hints = isObject(descriptor?.['annotations']) ? descriptor['annotations'] : {}
  const readOnlyHint = hints['readOnlyHint'] === true
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && hints['destructiveHint'] !== false,
    idempotentHint: readOnlyHint || hints['idempotentHint'] === true,
    openWorldHint: hints['openWorldHint'] !== false,
  }
}
