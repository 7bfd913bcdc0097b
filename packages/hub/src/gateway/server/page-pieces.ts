import type { CatalogKind, Page } from '../../catalog/index.ts'
import { hubInfo } from '../../downstream/index.ts'
import { metaKeys, type Era, type Pieces } from '../../wire/index.ts'

/** Nobody keeps what was listed: it may change at any time. */
export const cacheFields = { ttlMs: 0, cacheScope: 'private' }

const serverMeta = { [metaKeys.serverInfo]: hubInfo }
const modernListTail = `,${JSON.stringify({ ...cacheFields, _meta: serverMeta }).slice(1, -1)}`

/** A page of a list as the members of a result. */
export function pagePieces(kind: CatalogKind, page: Page, era: Era): Pieces {
  const next = page.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(page.nextCursor)}`
  return { head: `"${kind}":`, body: page.entries, tail: `${next}${era === 'modern' ? modernListTail : ''}}` }
}
