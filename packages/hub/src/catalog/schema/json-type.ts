const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

export function isKnownType(type: string): boolean {
  return types.includes(type)
}

/** Whether a JSON value is of a type of JSON Schema. A type that nobody knows refuses nothing. */
export function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return !isKnownType(type) || typeOf(value) === type
}

/** The type of a JSON value, as JSON Schema calls it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
