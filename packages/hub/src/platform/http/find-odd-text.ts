/** Where in a request a text stands that no store keeps and no file name has, and what is wrong with it. */
export interface OddText {
  readonly path: readonly string[]
  readonly message: string
}

interface Part {
  readonly name: string
  readonly value: unknown
  readonly parent: Part | null
}

/**
 * Finds a text with the character NUL, which PostgreSQL refuses, or with half of a surrogate pair, which is no character
 * at all. Names of fields count too. What is nested without end is no reason to run out of stack.
 */
export function findOddText(value: unknown): OddText | null {
  const open: Part[] = [{ name: '', value, parent: null }]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { name, value: each } = part
    const message = problemOf(name) ?? (typeof each === 'string' ? problemOf(each) : null)
    if (message !== null) return { path: pathOf(part), message }
    if (typeof each !== 'object' || each === null) continue
    for (const [key, child] of Object.entries(each)) open.push({ name: key, value: child, parent: part })
  }
  return null
}

/** The names of fields as they are, but for one that is odd itself. */
function pathOf(part: Part): string[] {
  const path: string[] = []
  for (let at = part; at.parent !== null; at = at.parent) path.unshift(problemOf(at.name) === null ? at.name : '?')
  return path
}

/** With the flag `u` a pair is one character, and what matches stands alone. */
const loneSurrogate = /\p{Surrogate}/u

function problemOf(text: string): string | null {
  if (text.includes('\0')) return 'It holds the character NUL (U+0000), which cannot be stored. Leave it out.'
  return loneSurrogate.test(text) ? 'It holds half of a surrogate pair, which is no character. Send whole ones.' : null
}
