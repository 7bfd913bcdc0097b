/** Tells whether one of the patterns matches: `*` stands for any characters, `?` for one. */
export function matchGlobs(patterns: readonly string[]): (name: string) => boolean {
  const known = patterns.map(compile)
  return (name) => known.some((matches) => matches(name))
}

/** Piece by piece between the stars, each where it is first found, so that no pattern takes long. */
function compile(pattern: string): (name: string) => boolean {
  const pieces = pattern.split(/\*+/)
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  return (name) => {
    if (last === undefined) return name.length === first.length && isAt(name, first, 0)
    const end = name.length - last.length
    if (end < first.length || !isAt(name, first, 0) || !isAt(name, last, end)) return false
    let from = first.length
    for (const piece of rest) {
      while (from + piece.length <= end && !isAt(name, piece, from)) from++
      from += piece.length
    }
    return from <= end
  }
}

function isAt(name: string, piece: string, from: number): boolean {
  return Array.from(piece).every((character, index) => character === '?' || character === name[from + index])
}
