/** What a person wrote as a number; empty = null. Text that is none stays what it is, so that the schema says so. */
export function numberOf(text: string): number | string | null {
  if (text.trim() === '') return null
  return Number.isNaN(Number(text)) ? text : Number(text)
}
