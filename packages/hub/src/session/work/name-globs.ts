import { RE2JS } from 're2js'

/** Tells whether one of the globs matches a name of a tool: `*` stands for any characters, `?` for one. */
export function compileNameGlobs(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => false
  if (globs.includes('*')) return () => true
  // RE2, so that a glob of many stars takes no longer than others.
  const expression = RE2JS.compile(`^(?:${globs.map(translate).join('|')})\\z`, RE2JS.DOTALL)
  return (name) => expression.test(name)
}

function translate(glob: string): string {
  return glob
    .split(/([*?])/)
    .map((piece) => (piece === '*' ? '.*' : piece === '?' ? '.' : RE2JS.quote(piece)))
    .join('')
}
