import { createHash } from 'node:crypto'

/**
 * Names must suit every known client: letters, digits, `_` and `-`, at most 64 with the client's own prefix, which is
 * `mcp__herma__` in the longest case known.
 */
export const maxNameLength = 52

/** The name that clients see. It depends on nothing but the configuration and the original name. */
export function exposedName(prefix: string, original: string): string {
  const whole = prefix === '' ? original : `${prefix}__${original}`
  const legal = whole.replace(/[^A-Za-z0-9_-]/g, '_')
  return legal.length <= maxNameLength ? legal : shorten(legal, whole)
}

/** A name for a tool whose own is taken; the same one every time. */
export function alternativeName(connector: string, original: string, isTaken: (name: string) => boolean): string {
  const full = exposedName(connector, original)
  if (!isTaken(full)) return full
  const key = `${connector}\n${original}`
  for (let round = 0; ; round++) {
    const name = shorten(full, round === 0 ? key : `${key}\n${round}`)
    if (!isTaken(name)) return name
  }
}

function shorten(name: string, key: string): string {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 6)
  return `${name.slice(0, maxNameLength - 7)}_${digest}`
}
