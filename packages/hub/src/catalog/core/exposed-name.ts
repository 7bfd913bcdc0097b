import { createHash } from 'node:crypto'

/**
 * Names with a prefix suit every known client: letters, digits, `_` and `-`, at most 64 with the client's own prefix,
 * which is `mcp__herma__` in the longest case known.
 */
export const maxNameLength = 52

/**
 * The names that clients see of what one server offers. Without a prefix they are the server's own. They depend on nothing
 * but the prefix and the names of this server: not on their order, nor on other servers.
 */
export function exposedNames(prefix: string, originals: readonly string[]): string[] {
  if (prefix === '') return [...originals]
  const names = originals.map((original) => exposedName(prefix, original))
  const users = new Map<string, Set<string>>()
  for (const [index, name] of names.entries()) {
    const sharing = users.get(name)
    if (sharing === undefined) users.set(name, new Set([originals[index]!]))
    else sharing.add(originals[index]!)
  }
  return names.map((name, index) => {
    const whole = ownSpelling(prefix, originals[index]!)
    // Of names that would become equal only the one that had to change nothing stays.
    return users.get(name)!.size === 1 || name === whole ? name : withDigest(name, whole)
  })
}

/** The name of one that has no neighbour with the same. */
export function exposedName(prefix: string, original: string): string {
  if (prefix === '') return original
  const whole = ownSpelling(prefix, original)
  const legal = legalName(whole)
  const isEmpty = !/[A-Za-z0-9]/.test(original) && legal !== whole
  return isEmpty ? legalName(`${prefix}__${digestOf(whole)}`) : legal
}

/** The prefix and the name as the server spells it, which clients may use too where only one tool is meant by it. */
export function ownSpelling(prefix: string, original: string): string {
  return prefix === '' ? original : `${prefix}__${original}`
}

/** A name that every known client takes. */
export function legalName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_')
  return legal.length <= maxNameLength ? legal : withDigest(legal, name)
}

/** A name for a tool whose own is taken; the same one every time. */
export function alternativeName(connector: string, original: string, isTaken: (name: string) => boolean): string {
  const full = connector === '' ? legalName(original) : exposedName(connector, original)
  if (!isTaken(full)) return full
  const key = `${connector}\n${original}`
  for (let round = 0; ; round++) {
    const name = withDigest(full, round === 0 ? key : `${key}\n${round}`)
    if (!isTaken(name)) return name
  }
}

function withDigest(name: string, key: string): string {
  return `${name.slice(0, maxNameLength - 7)}_${digestOf(key)}`
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 6)
}
