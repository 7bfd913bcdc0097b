/** What is wrong with JSON, without the piece of text that the parser quotes: it may hold half a secret. */
export function jsonProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/, (?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/, ' in what is not JSON')
}
