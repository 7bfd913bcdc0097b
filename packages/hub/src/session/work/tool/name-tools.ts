import { createHash } from 'node:crypto'

/** A tool as its server has it; one of the catalog belongs to no connector. */
export interface ToolOrigin {
  readonly connector: string | null
  readonly tool: string
}

/** What all providers take for the name of a tool. */
const maxLength = 64
const hashLength = 8

/**
 * The names by which a model knows tools of servers: `CONNECTOR__TOOL`, in letters that every provider takes. Names that
 * would fall together, or that are taken, get a hash each, so that the same tool is always named the same among the same.
 */
export function nameTools(origins: readonly ToolOrigin[], taken: ReadonlySet<string>): string[] {
  const plain = origins.map(toPlain)
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  return plain.map((name, index) => {
    const isFree = counts.get(name) === 1 && !taken.has(name) && name.length <= maxLength
    return isFree ? name : `${name.slice(0, maxLength - hashLength - 1)}_${hash(origins[index]!)}`
  })
}

function toPlain({ connector, tool }: ToolOrigin): string {
  const name = `${connector === null ? '' : `${connector}__`}${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  // Gemini wants a letter or an underscore in front.
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

function hash({ connector, tool }: ToolOrigin): string {
  return createHash('sha256')
    .update(JSON.stringify([connector, tool]))
    .digest('hex')
    .slice(0, hashLength)
}
