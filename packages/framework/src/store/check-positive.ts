/** Refuses what is no positive number; the limit keeps dates within what PostgreSQL can hold. */
export function checkPositive(name: string, value: number): void {
  if (value > 0 && value <= Number.MAX_SAFE_INTEGER) return
  throw new RangeError(`${name} must be a number from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(value)}.`)
}
