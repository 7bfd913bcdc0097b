/**
 * A text as PostgreSQL can hold it: neither the character zero nor half a surrogate pair goes in, and a server can name
 * a tool with them.
 */
export function toStoredText(name: string): string {
  return name.replace(/[\0\\]|\p{Surrogate}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

/** The other way round. */
export function fromText(text: string): string {
  return text.replace(/\\(?:\\|u[0-9a-f]{4})/g, (escape) => JSON.parse(`"${escape}"`) as string)
}
