const secretName = /token|secret|passw|credential|authorization|api[-_]?key|private[-_]?key|cookie|signature/i
const secretValue = /^(?:bearer|basic) \S/i

export const redacted = '[redacted]'

/** Arguments as they may be written down: JSON with secrets taken out by name, cut to `limit` characters. */
export function recordableArguments(value: unknown, limit: number): string {
  const json = JSON.stringify(value, (name, member: unknown) => {
    // Numbers stay: `maxTokens` is no token.
    if (typeof member === 'number' || typeof member === 'boolean' || member === null) return member
    if (secretName.test(name)) return redacted
    return typeof member === 'string' && secretValue.test(member) ? redacted : member
  })
  return cut(json ?? '', limit)
}

/** A URI without the password and the query values that let somebody in. */
export function recordableUri(uri: string, limit: number): string {
  const known = uri
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#@]*@/i, `$1${redacted}@`)
    .replace(/([?&])([^=&#?]+)=([^&#]*)/g, (whole, before: string, name: string) =>
      secretName.test(name) || /^(?:sig|key|code)$/i.test(name) ? `${before}${name}=${redacted}` : whole,
    )
  return cut(known, limit)
}

export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
