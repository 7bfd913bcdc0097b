// oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
const controls = /[\u0000-\u001F\u007F-\u009F]+/g
/** Characters without width, marks and overrides of direction, tags; for private use; halves of characters. */
const unseen = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\p{Co}\p{Cs}]/gu

/** Text of strangers on one line: nothing that cannot be seen, and no longer than it may be. */
export function cleanForeignText(value: unknown, limit: number): string {
  if (typeof value !== 'string') return ''
  const clean = value
    .slice(0, limit * 4)
    .replaceAll(controls, ' ')
    .replaceAll(unseen, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const letters = Array.from(clean)
  return letters.length <= limit
    ? clean
    : `${letters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}

/** A link that may be shown: http or https, without a password, unchanged otherwise. */
export function cleanForeignLink(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return null
  const url = new URL(value)
  const isPlain = (url.protocol === 'https:' || url.protocol === 'http:') && url.password === '' && url.username === ''
  return isPlain ? url.href : null
}
