/** A tool as the modes for large catalogs see it. */
export interface ModeTool {
  /** The name that clients see. */
  readonly name: string
  readonly server: string
  readonly tags: readonly string[]
  /** What its definition costs a model. */
  readonly tokens: number
  /** As in tools/list. */
  descriptor(): Readonly<Record<string, unknown>>
}

/** The tools that one caller may see, without those that the mode itself adds. */
export interface ModeCatalog {
  list(): Iterable<ModeTool>
  find(name: string): ModeTool | undefined
  /** The best first. */
  search(query: string, limit: number): ModeTool[]
}

/** What a tool does, in one line. */
export function summaryOf(tool: ModeTool, maxLength = 200): string {
  const descriptor = tool.descriptor()
  const text = [descriptor['description'], descriptor['title']].find((each) => typeof each === 'string' && each !== '')
  const line = String(text ?? '')
    .slice(0, 10 * maxLength)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= maxLength) return line
  const sentence = line.slice(0, maxLength).lastIndexOf('. ')
  return sentence > maxLength / 3 ? line.slice(0, sentence + 1) : `${line.slice(0, maxLength - 1).trimEnd()}…`
}

/** Tells a model that a name leads nowhere, and which ones it may have meant. */
export function explainUnknown(name: string, catalog: ModeCatalog): string {
  const nearest = nearestNames(name, catalog)
  const next = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'Look for the right one with a search.'
  return `There is no tool '${name.slice(0, 100)}'. ${next}`
}

/** Names that look like the given one, or else tools that are found by its words. */
export function nearestNames(name: string, catalog: ModeCatalog, limit = 3): string[] {
  const wanted = letterPairs(name)
  const alike: { name: string; likeness: number }[] = []
  for (const tool of catalog.list()) {
    const likeness = likenessOf(wanted, letterPairs(tool.name))
    if (likeness >= 0.5) alike.push({ name: tool.name, likeness })
  }
  alike.sort((a, b) => b.likeness - a.likeness)
  const found = alike.length > 0 ? alike : catalog.search(name, limit)
  return found.slice(0, limit).map((each) => each.name)
}

function letterPairs(name: string): Set<string> {
  const letters = name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < letters.length; at++) pairs.add(letters.slice(at, at + 2))
  return pairs
}

// https://en.wikipedia.org/wiki/Dice-Sørensen_coefficient
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both++
  return (2 * both) / (a.size + b.size)
}
