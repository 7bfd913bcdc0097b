import type { CatalogTool } from '@herma/contract'

/** Whether clients see a tool, and if not why. */
export function describeState({ name, hiddenBecause }: Pick<CatalogTool, 'name' | 'hiddenBecause'>): string {
  // A reason such as "hidden in catalog/core.json" says it already.
  if (hiddenBecause !== null) return hiddenBecause.startsWith('hidden') ? hiddenBecause : `hidden: ${hiddenBecause}`
  return name === null ? 'hidden: another tool has its name' : 'listed'
}
