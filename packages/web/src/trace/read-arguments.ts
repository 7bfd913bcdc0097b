type Arguments = { readonly value: Record<string, unknown>; readonly problem?: never } | Unreadable
interface Unreadable {
  readonly value: null
  readonly problem: string
}

/** Arguments that somebody typed, or what is wrong with them. */
export function readArguments(text: string): Arguments {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
    return { value: null, problem: 'Arguments are an object: begin with { and end with }.' }
  } catch (error) {
    return { value: null, problem: `This is not JSON: ${(error as Error).message}` }
  }
}
