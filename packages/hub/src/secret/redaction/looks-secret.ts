/**
 * Guesses from a value alone whether it is a secret: tokens with a known beginning, keys in PEM, long random words.
 * It is for warnings, not for redaction: it knows neither all secrets nor only secrets.
 */
export function looksSecret(text: string): boolean {
  if (knownForms.test(text)) return true
  return text.split(/[\s"'`=:,;&?/@(){}[\]<>|]+/).some(isRandomWord)
}

const knownForms = new RegExp(
  [
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
    // A JSON Web Token: two objects in base64url, and a signature.
    String.raw`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`,
    String.raw`\b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or|svcacct)?[-_]?[A-Za-z0-9_-]{16,}`,
    String.raw`\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bglpat-[\w-]{16,}`,
    String.raw`\bxox[abeoprs]-[\w-]{10,}`,
    String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bya29\.[\w-]{20,}`,
    String.raw`\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bhf_[A-Za-z0-9]{20,}`,
    String.raw`\b(?:bearer|basic)\s+[A-Za-z0-9._~+/-]{16,}`,
  ].join('|'),
  'i',
)

const minRandomLength = 24
/** English has about 4 in a word as long, base64 of random bytes 4.5 and more, hexadecimal digits at most 4. */
const minBitsPerCharacter = 4.2

function isRandomWord(word: string): boolean {
  if (word.length < minRandomLength || word.length > 4096 || !/^[\w+.~-]+$/.test(word)) return false
  // A hash of a commit and an id in hexadecimal digits are as common as keys; from 40 digits on it is a hint.
  if (/^[0-9a-f]+$/i.test(word)) return word.length >= 40 && bitsPerCharacter(word) > 3.2
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(word)).length
  return kinds === 3 && bitsPerCharacter(word) >= minBitsPerCharacter
}

/** Shannon's entropy of the characters of a word. */
function bitsPerCharacter(word: string): number {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
