import type { ts } from '@ts-morph/common'
import { type NameKind, nameKinds, type PublicName, type PublicNames } from './public-names.ts'

/** One entry of a package's `exports`. */
export interface Entry {
  /** As it is imported. */
  readonly specifier: string
  /** The file name of its page. */
  readonly file: string
  readonly introduction: string
  /** Relative to the package. */
  readonly source: string
}

export interface Section {
  readonly title: string
  /** What the section says before its names. */
  readonly text?: string
  readonly names: readonly PublicName[]
}

/** What a page shows, in its order. */
export interface Page extends Entry {
  /** All that the entry exports, also what another page describes. */
  readonly names: readonly PublicName[]
  readonly sections: readonly Section[]
  /** The anchor of each name that is described here. */
  readonly anchors: ReadonlyMap<ts.Symbol, string>
}

export const sectionTitles: Readonly<Record<NameKind, string>> = {
  function: 'Functions',
  constant: 'Constants',
  class: 'Classes',
  interface: 'Interfaces',
  type: 'Types',
}

/**
 * Lays out the pages of some entries. A name that several entries export is described on the page of the last of them,
 * which is the more special one.
 */
export function layOutPages(
  entries: readonly (Entry & { readonly names: readonly PublicName[] })[],
  reader: PublicNames,
): readonly Page[] {
  const homes = new Map(entries.flatMap((entry) => entry.names.map(({ symbol }) => [symbol, entry])))
  return entries.map((entry) => {
    const here = entry.names.filter(({ symbol }) => homes.get(symbol) === entry)
    const sections: Section[] = nameKinds.map((kind) => ({
      title: sectionTitles[kind],
      names: here.filter((name) => name.kind === kind),
    }))
    sections.push({
      title: 'Behind the signatures',
      text: 'Types that are named above; they cannot be imported from here.',
      names: reader.behind(here, new Set(homes.keys())),
    })
    const filled = sections.filter(({ names }) => names.length > 0)
    return { ...entry, sections: filled, anchors: anchorsOf(entry, filled) }
  })
}

/** As GitHub makes them: lower case, and a number where that makes two headings equal. */
function anchorsOf({ specifier }: Entry, sections: readonly Section[]): ReadonlyMap<ts.Symbol, string> {
  const used = new Map<string, number>()
  const anchor = (heading: string) => {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const count = used.get(plain) ?? 0
    used.set(plain, count + 1)
    return count === 0 ? plain : `${plain}-${count}`
  }
  const anchors = new Map<ts.Symbol, string>()
  anchor(specifier)
  anchor('Contents')
  for (const { title, names } of sections) {
    anchor(title)
    for (const { symbol, name } of names) anchors.set(symbol, anchor(name))
  }
  return anchors
}
