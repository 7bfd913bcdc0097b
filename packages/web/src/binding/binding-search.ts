/** What the address of the bindings page says: the open cell and the filter. */
export interface BindingSearch {
  readonly session?: string
  readonly connector?: string
  readonly text?: string
}

export function readBindingSearch(search: Record<string, unknown>): BindingSearch {
  // A name of digits alone comes out of the address as a number.
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  const names = ['session', 'connector', 'text'] as const
  return Object.fromEntries(names.flatMap((name) => (isText(search[name]) ? [[name, String(search[name])]] : [])))
}
