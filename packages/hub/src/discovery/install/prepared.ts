import type { DiscoveryNeed, InstallSource } from '@herma/contract'
import type { BundleFile } from '../bundle/read-bundle.ts'
import type { Recipe } from '../recipe/recipe.ts'

/** What a source leads to, before anybody gave values. */
export interface Prepared {
  readonly source: InstallSource
  readonly title: string
  readonly needs: readonly DiscoveryNeed[]
  readonly recipes: readonly Recipe[]
  /** Of a bundle: its name, its files and where they go. */
  readonly bundle: { readonly name: string; readonly folder: string; readonly files: readonly BundleFile[] } | null
  readonly tools: readonly string[]
  /** What stands in the way whatever the values are. */
  readonly conflicts: readonly string[]
  readonly warnings: readonly string[]
}
