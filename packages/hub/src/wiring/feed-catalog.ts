import type { Catalog } from '../catalog/index.ts'
import type { ConnectorEntry } from '../downstream/index.ts'

/** Tells the catalog what connectors offer now; of those without a downstream it forgets everything. */
export function feedCatalog(catalog: Catalog, entries: readonly ConnectorEntry[]): void {
  const [gone, served] = [
    entries.filter((entry) => entry.downstream === null),
    entries.filter((entry) => entry.downstream !== null),
  ]
  for (const { stored } of gone) catalog.remove(stored.id)
  if (served.length === 0) return
  catalog.set(
    ...served.map(({ stored, downstream }) => {
      const { name, options } = stored.connector
      const prefix = options.prefix ?? name
      return {
        id: stored.id,
        name,
        prefix,
        position: stored.position,
        pinPolicy: options.pinning,
        isUnlisted: !options.listed,
        descriptors: downstream!.descriptors,
      }
    }),
  )
}
