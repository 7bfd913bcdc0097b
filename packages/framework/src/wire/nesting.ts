/** Deeper than any real message, and shallow enough for JSON.stringify, which is recursive. */
export const maxNesting = 1000

const quote = 0x22
const backslash = 0x5c

/** Tells whether serialised JSON is nested so deeply that it could be parsed but not written again. */
export function isNestedTooDeep(json: Buffer): boolean {
  // Every level takes two characters, so most messages need no look.
  if (json.length <= 2 * maxNesting) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfText(json, at)
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if (byte === 0x5d || byte === 0x7d) depth--
    if (depth > maxNesting) return true
  }
  return false
}

function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(quote, start + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(quote, end + 1)
  return end < 0 ? json.length : end
}

function isEscaped(json: Buffer, at: number): boolean {
  let before = at - 1
  while (json[before] === backslash) before--
  return (at - before) % 2 === 0
}
