// Shorter values would mask ordinary words.
const minLength = 6

/** The spellings under which a secret value may turn up in text. */
export function secretForms(value: string): string[] {
  const forms = new Set<string>()
  for (const plain of [value, ...withoutScheme(value), ...linesOf(value)]) {
    const urlEncoded = encodeForUrl(plain)
    forms.add(plain)
    forms.add(urlEncoded)
    forms.add(urlEncoded.replaceAll('%20', '+'))
    forms.add(JSON.stringify(plain).slice(1, -1))
    const base64 = Buffer.from(plain, 'utf8').toString('base64').replace(/=+$/, '')
    if (plain.trim().length >= minLength) forms.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...forms].filter((form) => form.trim().length >= minLength)
}

// The value of an Authorization header is used and printed without its scheme too.
function withoutScheme(value: string): string[] {
  const match = /^(?:bearer|basic|token|digest|apikey)\s+(.+)$/is.exec(value)
  return match?.[1] === undefined ? [] : [match[1]]
}

// Text is often redacted line by line, where a key of many lines never appears as a whole.
function linesOf(value: string): string[] {
  return /[\r\n]/.test(value) ? value.split(/[\r\n]+/) : []
}

function encodeForUrl(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    // Half a surrogate pair has no URL-encoded form.
    return value
  }
}
