export type NameMatcher = (name: string) => boolean

/**
 * Compiles a pattern in which `*` stands for any characters and `?` for one. Each piece between two stars is taken where
 * it is first found, so a match never goes back over a star and its time grows with the name only.
 */
export function compileGlob(pattern: string): NameMatcher {
  if (!isGlob(pattern)) return (name) => name === pattern
  const pieces = pattern.split(/\*+/)
  if (pieces.length === 2 && pieces[0] === '' && pieces[1] === '') return () => true
  return pattern.includes('?') ? matchCharacters(pieces.map((piece) => Array.from(piece))) : matchText(pieces)
}

/** Tells whether one of the patterns matches. */
export function compileGlobs(patterns: readonly string[]): NameMatcher {
  const matchers = patterns.map(compileGlob)
  return (name) => matchers.some((matches) => matches(name))
}

/** Tells whether a name is a pattern at all. */
export function isGlob(pattern: string): boolean {
  return pattern.includes('*') || pattern.includes('?')
}

/** How much of a pattern is said outright; of two that match, the larger one is meant. */
export function literalLength(pattern: string): number {
  return pattern.replace(/[*?]/g, '').length
}

function matchText(pieces: readonly string[]): NameMatcher {
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  const middle = pieces.slice(1, -1)
  return (name) => {
    const end = name.length - last.length
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false
    let from = first.length
    for (const piece of middle) {
      const at = name.indexOf(piece, from)
      if (at < 0) return false
      from = at + piece.length
    }
    return from <= end
  }
}

// A question mark is one character for people, whatever UTF-16 makes of it.
function matchCharacters(pieces: readonly string[][]): NameMatcher {
  const first = pieces[0] ?? []
  const last = pieces.at(-1) ?? []
  const middle = pieces.slice(1, -1)
  return (name) => {
    const characters = Array.from(name)
    const end = characters.length - last.length
    if (pieces.length === 1) return end === 0 && isAt(characters, first, 0)
    if (end < first.length || !isAt(characters, first, 0) || !isAt(characters, last, end)) return false
    let from = first.length
    for (const piece of middle) {
      while (from + piece.length <= end && !isAt(characters, piece, from)) from++
      from += piece.length
      if (from > end) return false
    }
    return true
  }
}

function isAt(characters: readonly string[], piece: readonly string[], from: number): boolean {
  return piece.every((character, index) => character === '?' || character === characters[from + index])
}
