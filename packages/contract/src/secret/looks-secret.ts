/** A part of a text: from `start` up to, but not with, `end`. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/**
 * Guesses from a text alone whether it holds a secret: tokens with a known beginning, keys in PEM, long random words.
 * It is for warnings and for what a person confirms: it knows neither all secrets nor only secrets.
 */
export function looksSecret(text: string): boolean {
  return findSecretWords(text).length > 0
}

/** Where such secrets stand in a text, in their order and without overlap. */
export function findSecretWords(text: string): TextSpan[] {
  const plain = hidePlaceholders(text)
  const known = [...plain.matchAll(knownForms)].map((match) => spanOf(match))
  const random = isPath(plain) ? [] : findRandomWords(hideHosts(plain))
  return withoutOverlap([...known, ...random])
}

/** The wider one of two that overlap stays. */
export function withoutOverlap<S extends TextSpan>(spans: readonly S[]): S[] {
  const kept: S[] = []
  for (const span of spans.toSorted((a, b) => b.end - b.start - (a.end - a.start)))
    if (kept.every((other) => span.end <= other.start || span.start >= other.end)) kept.push(span)
  return kept.toSorted((a, b) => a.start - b.start)
}

/** The text in the same length without references to secrets, `${…}` and `<…>`: what stands for a value is none. */
export function hidePlaceholders(text: string): string {
  return text.replaceAll(/\{secret:[^{}]*\}|\$\{[^{}]*\}|<[^<>]*>/g, (found) => ' '.repeat(found.length))
}

/** Whether a text is the place of a file, whose folders may have names like keys. */
export function isPath(text: string): boolean {
  return /^(?:\.{0,2}\/|~\/|file:|[A-Za-z]:[\\/])/.test(text) && !text.includes('?')
}

const knownForms = new RegExp(
  [
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^]*?-----END [A-Z ]*PRIVATE KEY-----|[^]*$)`,
    // A JSON Web Token: two objects in base64url, and a signature.
    String.raw`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`,
    String.raw`\bsk-(?:ant|proj|svcacct|admin|or-v1)-[\w-]{16,}`,
    String.raw`\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}`,
    // Packages have names such as sk-learn-tools: a key has a long word with a digit in it.
    String.raw`\b(?:sk|pk|rk)[-_](?=[\w-]*[A-Za-z0-9]{16})(?=[\w-]*\d)[\w-]{16,}`,
    String.raw`\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bglpat-[\w-]{16,}`,
    String.raw`\bxox[abeoprs]-[\w-]{10,}`,
    String.raw`\bxapp-\d-[\w-]{16,}`,
    String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bya29\.[\w-]{20,}`,
    String.raw`\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bpypi-[\w-]{40,}`,
    String.raw`\bhf_[A-Za-z0-9]{20,}`,
    String.raw`\b(?:gsk|ntn|figd|shpat|whsec|lin_api|dop_v1)_[\w-]{20,}`,
    String.raw`\bSG\.[\w-]{16,}\.[\w-]{16,}`,
    // An example says YOUR_API_KEY_HERE in the place of a token; a token has digits.
    String.raw`\b[Bb]earer\s+((?=[^\s"']*\d)[A-Za-z0-9._~+/-]{16,}={0,2})`,
    String.raw`\b[Bb]asic\s+((?=[^\s"']*[A-Z])[A-Za-z0-9+/]{12,}={0,2})`,
  ].join('|'),
  'g',
)

/** Where a form names a scheme, the secret is what stands behind it. */
function spanOf(match: RegExpMatchArray): TextSpan {
  const end = match.index! + match[0].length
  const behind = match.slice(1).find((group) => group !== undefined)
  return { start: end - (behind ?? match[0]).length, end }
}

/** The host of an address says where something is, whatever it looks like. */
function hideHosts(text: string): string {
  return text.replaceAll(
    /(:\/\/(?:[^/?#@\s]*@)?)([^/?#\s"'`]*)/g,
    (_, before: string, host: string) => before + ' '.repeat(host.length),
  )
}

function findRandomWords(text: string): TextSpan[] {
  // Base64 has a slash now and then, which elsewhere parts words.
  if (/^[A-Za-z0-9+/]{32,4096}={0,2}$/.test(text) && isRandomWord(text.replace(/[+/=]+/g, '')))
    return [{ start: 0, end: text.length }]
  return [...text.matchAll(/[^\s"'`=:,;&?/@#(){}[\]<>|]+={0,2}/g)].flatMap((match) => {
    const word = match[0].replace(/[.=]+$/, '')
    const isHash = isHashPlace.test(text.slice(0, match.index)) && /^[0-9a-f]+$/i.test(word)
    if (isHash || !isRandomWord(word)) return []
    const end = match.index + match[0].replace(/\.+$/, '').length
    return [{ start: match.index, end }]
  })
}

/** Behind these signs stands the hash of a commit or an image: package@…, repository#…, sha256:…, /commit/… */
const isHashPlace = /(?:[@#]|sha\d*[:-]|\/(?:commit|tree|blob|raw|releases?)\/)$/i

const minRandomLength = 24
const minPlainLength = 32
/** English has about 4 in a word as long, base64 of random bytes 4.5 and more, hexadecimal digits at most 4. */
const minBitsPerCharacter = 4.2
/** Of two neighbours in random letters and digits, about six in ten are of different kinds; in camelCase three. */
const minChanges = 0.35
const minPlainChanges = 0.25

function isRandomWord(word: string): boolean {
  if (word.length < minRandomLength || word.length > 4096 || !/^[\w+.~-]+$/.test(word)) return false
  // A hash of a commit and an id in hexadecimal digits are as common as keys; from 40 digits on it is a hint.
  if (/^[0-9a-f]+$/i.test(word)) return word.length >= 40 && bitsPerCharacter(word) > 3.2
  if (/^[a-z0-9]+$/.test(word))
    return word.length >= minPlainLength && bitsPerCharacter(word) > 4 && changesOfKind(word) >= minPlainChanges
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(word)).length
  return kinds === 3 && bitsPerCharacter(word) >= minBitsPerCharacter && changesOfKind(word) >= minChanges
}

/** Shannon's entropy of the characters of a word. */
function bitsPerCharacter(word: string): number {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}

/** How many neighbours are of different kinds, of all that are letters or digits. */
function changesOfKind(word: string): number {
  let [pairs, changes] = [0, 0]
  for (let at = 1; at < word.length; at++) {
    const [before, after] = [kindOf(word[at - 1]!), kindOf(word[at]!)]
    if (before === null || after === null) continue
    pairs++
    if (before !== after) changes++
  }
  return pairs === 0 ? 0 : changes / pairs
}

function kindOf(sign: string): string | null {
  if (/[a-z]/.test(sign)) return 'lower'
  if (/[A-Z]/.test(sign)) return 'upper'
  return /[0-9]/.test(sign) ? 'digit' : null
}
