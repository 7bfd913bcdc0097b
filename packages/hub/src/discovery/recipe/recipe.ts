import type { ConnectorInput } from '@herma/contract'

/** A text in which some parts are values that a person gives. */
export type Template = readonly (string | { readonly need: string })[]

export interface ArgumentRecipe {
  readonly flag: string | null
  /** Null for a flag that stands alone. */
  readonly value: Template | null
}

export interface NamedRecipe {
  readonly name: string
  readonly value: Template
  readonly isSecret: boolean
}

/** How a connector is made as soon as its needs have values. */
export interface Recipe {
  /** A proposal. */
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly transport: ConnectorInput['transport']
  readonly baseUrl: Template | null
  readonly headers: readonly NamedRecipe[]
  readonly cmd: string | null
  readonly args: readonly ArgumentRecipe[]
  readonly env: readonly NamedRecipe[]
  readonly workingDir: Template | null
  readonly options: NonNullable<ConnectorInput['options']>
}

/** Splits a text at the places that are values; `needOf` says whether a name in braces is one. */
export function toTemplate(text: string, needOf: (name: string) => string | undefined): Template {
  const parts: (string | { need: string })[] = []
  let end = 0
  for (const match of text.matchAll(/\{([^{}]+)\}/g)) {
    const need = needOf(match[1]!)
    if (need === undefined) continue
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push({ need })
    end = match.index + match[0].length
  }
  return end < text.length || parts.length === 0 ? [...parts, text.slice(end)] : parts
}

/** Ids of the needs in a template. */
export function needsIn(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.need]))
}
