/** What was thrown, in words for people: anything can be thrown, also what has no words of its own. */
export function textOfThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.stack ?? thrown.message
  try {
    return String(thrown)
  } catch {
    // An object without a prototype, or one whose toString throws.
    return `A value of type ${typeof thrown} was thrown.`
  }
}

/** What clients may be told of it where errors are exposed. */
export function messageOfThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : textOfThrown(thrown)
}

/** The kind of error, for metrics. */
export function typeOfThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'Error'
}
