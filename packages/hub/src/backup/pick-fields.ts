import { z } from 'zod'
import type { BackupEntry } from './index.ts'

/** The fields that are wanted of a view. */
export function pick(view: object, fields: readonly string[]): BackupEntry {
  return Object.fromEntries(Object.entries(view).filter(([field]) => fields.includes(field)))
}

/** What an entry is called; throws for one without a name. */
export function entryName({ name }: BackupEntry): string {
  return z.string('An entry needs a name.').parse(name)
}
