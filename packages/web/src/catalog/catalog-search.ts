/** What the address of the catalog page says. */
export interface CatalogSearch {
  readonly tab?: string
  /** The tool that is open: `server/tool`. */
  readonly tool?: string
  readonly text?: string
}

export function readCatalogSearch(search: Record<string, unknown>): CatalogSearch {
  return Object.fromEntries(
    ['tab', 'tool', 'text'].flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  )
}
