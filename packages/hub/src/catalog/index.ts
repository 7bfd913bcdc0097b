export { Catalog, type CatalogKind, type CatalogSource, type Route } from './catalog.ts'
export type { Page } from './pages.ts'
