import type { CatalogFragment, CompositeDefaults } from '@herma/contract'

/** What composites do when neither they nor their file say otherwise. */
export const compositeDefaults: Required<CompositeDefaults> = {
  selectorField: 'operation',
  caseInsensitiveSelector: true,
  timeoutSeconds: 60,
}

/** The fragment that lies under all files. */
export const embeddedDefaults: CatalogFragment = {
  schemaVersion: 1,
  name: 'defaults',
  hiddenTools: [],
  defaults: compositeDefaults,
  aggregations: [],
  pipelines: [],
  views: [],
}
