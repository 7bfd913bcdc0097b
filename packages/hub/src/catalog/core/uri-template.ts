/**
 * Tells whether a URI can come from a template of RFC 6570. It is used to find the server of a URI, so it only has to
 * be right about the literal text between expressions. It takes no pattern from the template: templates come from
 * servers, and a pattern could be made to run for ever.
 */
export function createTemplateMatcher(template: string): (uri: string) => boolean {
  const literals = template.split(/\{[^{}]*\}/)
  const first = literals[0]!
  const last = literals.at(-1)!
  if (literals.length === 1) return (uri) => uri === template
  const middle = literals.slice(1, -1).filter((literal) => literal !== '')
  return (uri) => {
    if (!uri.startsWith(first) || !uri.endsWith(last)) return false
    let from = first.length
    const end = uri.length - last.length
    for (const literal of middle) {
      const at = uri.indexOf(literal, from)
      if (at < 0) return false
      from = at + literal.length
    }
    return from <= end
  }
}
