/** A text of an event, or undefined when it is none. */
export function textIn(event: Record<string, unknown>, name: string): string | undefined {
  const value = event[name]
  return typeof value === 'string' ? value : undefined
}

/** A number of an event; what is none, or negative, counts nothing. */
export function countOf(event: Record<string, unknown>, name: string): number {
  const value = event[name]
  return typeof value === 'number' && value > 0 ? value : 0
}
