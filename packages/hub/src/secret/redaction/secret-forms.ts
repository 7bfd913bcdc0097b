// Shorter values would mask ordinary words.
const minLength = 6

/** The spellings under which a secret value may turn up in text. */
export function secretForms(value: string): string[] {
  const forms = new Set<string>()
  for (const plain of [value, ...withoutScheme(value), ...linesOf(value)]) {
    if (plain.trim().length < minLength) continue
    const bytes = Buffer.from(plain, 'utf8')
    const spellings = [plain, JSON.stringify(plain).slice(1, -1), ...urlForms(plain), ...base64Forms(bytes)]
    for (const spelling of [...spellings, ...hexForms(bytes)]) forms.add(spelling)
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

/** Some encode all that encodeURIComponent does, some more; hexadecimal digits come in both cases, a blank as a plus. */
function urlForms(plain: string): string[] {
  const encoded = encodeForUrl(plain)
  const strict = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const upper = [encoded, strict].flatMap((form) => [form, form.replaceAll('%20', '+')])
  return [...upper, ...upper.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function encodeForUrl(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    // Half a surrogate pair has no URL-encoded form.
    return value
  }
}

/**
 * Base64 spells three bytes with four digits, so a value inside a longer one has three spellings, by where it begins.
 * Digits at either end that also hold bits of a neighbour are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const first = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const digits = text.slice(first, end)
    // A short value leaves too few digits to be told from other text.
    if (digits.length < minLength) return []
    const whole = offset === 0 ? [text.replace(/=+$/, '')] : []
    return [digits, ...whole].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
  })
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex')
  return [hex, hex.toUpperCase()]
}
