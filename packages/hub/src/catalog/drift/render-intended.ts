import { facadeName, localOperator, type Descriptor } from '../../wire/index.ts'
import { Catalog } from '../core/catalog.ts'
import type { CatalogRules } from '../core/catalog-rules.ts'
import type { CatalogKind, CatalogSource } from '../core/catalog-source.ts'
import type { Scope } from '../scope/scope.ts'
import { observerName, type Scopes } from '../scope/scopes.ts'
import { noJudges, type ToolJudges } from '../core/shape-source.ts'

interface IntendedOptions {
  readonly sources: readonly CatalogSource[]
  readonly rules: CatalogRules
  readonly adapt: ToolJudges['adapt']
  /** The tools of a connector as they were approved. */
  approved(source: CatalogSource): Promise<readonly Descriptor[]>
  /** Knows what the clients of a catalog see. */
  scopesOf(catalog: Catalog): Scopes
}

/** Who looks at the catalog to see what is there. */
export const observer = { server: facadeName, principal: localOperator, clientInfo: { name: observerName } }

/**
 * The catalog that clients of the facade should see: what was approved, under the rules as they are now. It is made in
 * the same way as the catalog that is served, of other descriptors, and without holding up calls.
 */
export async function renderIntended(parts: IntendedOptions): Promise<Scope> {
  const catalog = new Catalog(() => {}, { ...noJudges, adapt: parts.adapt })
  catalog.configure(parts.rules)
  const sources: CatalogSource[] = []
  for (const source of parts.sources) {
    const tools = await parts.approved(source)
    const read = (kind: CatalogKind) => (kind === 'tools' ? tools : source.descriptors.read(kind))
    sources.push({ ...source, descriptors: { read } })
  }
  await catalog.setGradually(sources)
  return parts.scopesOf(catalog).for(observer)
}
