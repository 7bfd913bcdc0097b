import { isSecretName, type NamedValue, type NamedValueView } from '@herma/contract'
import type { NamedText } from './read-rows.ts'

/** A header or variable while it is edited. */
export interface ValueRow {
  readonly name: string
  /** Absent = what is stored stays. */
  readonly value?: string | undefined
  readonly secret: boolean
  /** A secret value is stored under this name. */
  readonly stored?: boolean
  /** When what is stored last changed, where that is known. */
  readonly changedAt?: string
  /** Each person gives a value of their own. */
  readonly personal?: boolean
}

export function toValueRow({ name, value, secret, stored, personal, changedAt }: NamedValueView): ValueRow {
  if (personal === true) return { name, secret, personal }
  return stored
    ? { name, secret, stored, ...(changedAt !== undefined && { changedAt }) }
    : { name, value: value ?? '', secret }
}

/** A row from text that somebody pasted; the name tells whether it is a secret unless the source does. */
export function newRow({ name, value, secret, personal }: NamedValue): ValueRow {
  return { name, value: value ?? '', secret: secret ?? isSecretName(name), ...(personal === true && { personal }) }
}

/** The row under a new name, with the guess about its value while nobody said otherwise. */
export function renameRow(row: ValueRow, name: string): ValueRow {
  const isGuess = row.secret === isSecretName(row.name)
  return { ...row, name, secret: isGuess && row.stored !== true ? isSecretName(name) : row.secret }
}

/** What is sent for rows: no value where the stored one stays, nothing for empty rows at the end. */
export function toNamedValues(rows: readonly ValueRow[]): NamedValue[] {
  const last = rows.findLastIndex(({ name, value, stored }) => name !== '' || (value ?? '') !== '' || stored === true)
  return rows.slice(0, last + 1).map(({ name, value, secret, stored, personal }) => {
    if (personal === true) return { name: name.trim(), secret, personal }
    return { name: name.trim(), secret, ...(stored === true && value === undefined ? {} : { value: value ?? '' }) }
  })
}

/** Pasted rows in place of the row that they were pasted into; a name that is there already gets the new value. */
export function mergeRows(rows: readonly ValueRow[], index: number, pasted: readonly NamedText[]): ValueRow[] {
  const target = rows[index]
  const isBlank = target !== undefined && target.stored !== true && (target.value ?? '') === ''
  const merged = rows.filter((_, at) => at !== index || !isBlank)
  for (const { name, value } of pasted) {
    const at = merged.findIndex((row) => row.name === name)
    if (at === -1) merged.push(newRow({ name, value }))
    else merged[at] = { ...merged[at]!, value }
  }
  return merged
}
