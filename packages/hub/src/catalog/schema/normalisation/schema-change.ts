import type { SchemaStatus } from '@herma/contract'

export type SchemaChange = SchemaStatus['changes'][number]

const maxChanges = 100

/** Notes what was changed and where. A schema with more to mend than a person reads is not told to the end. */
export class ChangeList {
  readonly entries: SchemaChange[] = []

  add(path: string, what: string): void {
    if (this.entries.length < maxChanges) this.entries.push({ path, what })
  }
}
