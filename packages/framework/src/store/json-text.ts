/** The JSON of a value, which nobody can change afterwards as they could a shared object. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined
  if (text !== undefined) return text
  throw new TypeError(`A value of type ${typeof value} cannot be kept. Give JSON; null stands for nothing.`)
}
