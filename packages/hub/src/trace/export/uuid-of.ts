import { createHash } from 'node:crypto'

/** A UUID for an id of any form, always the same one: readers of transcripts expect nothing else. */
export function uuidOf(id: string): string {
  const plain = id.replaceAll('-', '').toLowerCase()
  const digits = /^[0-9a-f]{32}$/.test(plain) ? plain : createHash('sha256').update(id).digest('hex').slice(0, 32)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
