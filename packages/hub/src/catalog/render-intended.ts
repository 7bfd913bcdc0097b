import { localOperator, facadeName } from '../wire/index.ts'
import { Catalog } from './catalog.ts'
import type { CatalogRules } from './catalog-rules.ts'
import type { CatalogSource, Descriptor } from './catalog-source.ts'
import type { ScopeBook } from './scope-book.ts'
import { noJudges, type ToolJudges } from './shape-source.ts'

interface IntendedParts {
  readonly sources: readonly CatalogSource[]
  readonly rules: CatalogRules
  readonly adapt: ToolJudges['adapt']
  /** The tools of a connector as they were approved. */
  approved(source: CatalogSource): Promise<readonly Descriptor[]>
  /** Knows what the clients of a catalog see. */
  scopesOf(catalog: Catalog): ScopeBook
}

/** Who looks at the catalog to see what is there. */
export const observer = { server: facadeName, principal: localOperator, clientInfo: { name: 'herma-catalog' } }

/**
 * The tools that clients of the facade should see: what was approved, under the rules as they are now. It is made in
 * the same way as the catalog that is served, of other descriptors.
 */
export async function renderIntended(parts: IntendedParts): Promise<Descriptor[]> {
  const catalog = new Catalog(() => {}, { ...noJudges, adapt: parts.adapt })
  const sources = await Promise.all(
    parts.sources.map(async (source) => {
      const tools = await parts.approved(source)
      const read = (kind: Parameters<CatalogSource['descriptors']['read']>[0]) =>
        kind === 'tools' ? tools : source.descriptors.read(kind)
      return { ...source, descriptors: { read } }
    }),
  )
  catalog.configure(parts.rules)
  catalog.set(...sources)
  return readAllTools(parts.scopesOf(catalog))
}

function readAllTools(scopes: ScopeBook): Descriptor[] {
  const scope = scopes.for(observer)
  const tools: Descriptor[] = []
  for (let cursor: string | undefined; ;) {
    const page = scope.page('tools', cursor)
    if (page === undefined) return tools
    tools.push(...(JSON.parse(page.entries.toString('utf8')) as Descriptor[]))
    if (page.nextCursor === undefined) return tools
    cursor = page.nextCursor
  }
}
