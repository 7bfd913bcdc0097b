import { isObject, relayedCapabilities, toRelayed, type Capabilities } from '../../wire/index.ts'

/**
 * What a server was seen to tell its clients apart by: something that it asked of a client that cannot answer, or its
 * tools, which are others where it was told otherwise.
 */
export const distinctions = [
  'sampling',
  'sampling.tools',
  'elicitation.form',
  'elicitation.url',
  'roots',
  'tools',
] as const
export type Distinction = (typeof distinctions)[number]

/** What a client lacked to answer a question, as a distinction; null for something that is none. */
export function toDistinction(missing: Capabilities): Distinction | null {
  const [name, value] = Object.entries(missing)[0] ?? ['']
  const part = isObject(value) ? Object.keys(value)[0] : undefined
  const wanted = part === undefined ? name : `${name}.${part}`
  return distinctions.find((distinction) => distinction === wanted) ?? null
}

/**
 * What the one process of a server is told that its client can do: everything that the hub relays, but for what the server
 * was seen to ask and this client cannot answer. There the client is described as it is.
 */
export function toTold(capabilities: Capabilities, seen: ReadonlySet<Distinction>): Capabilities {
  if (seen.size === 0) return relayedCapabilities
  const own = toRelayed(capabilities)
  if (seen.has('tools')) return own
  const told = { ...relayedCapabilities }
  for (const distinction of seen) {
    const [name = '', part] = distinction.split('.')
    const value = own[name]
    if (value === undefined) delete told[name]
    else if (part !== undefined && isObject(value) && value[part] === undefined) told[name] = value
  }
  return told
}
