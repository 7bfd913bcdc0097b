import type { Descriptor } from '../../wire/index.ts'
export type CatalogKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'

export const catalogKinds: readonly CatalogKind[] = ['tools', 'resources', 'resourceTemplates', 'prompts']

/** What one connector brings to the catalog. */
export interface CatalogSource {
  readonly id: string
  readonly name: string
  readonly prefix: string
  /** Creation order, which decides who keeps a name that two want. */
  readonly position: number
  /** What happens to a tool that is not as it was approved. */
  readonly pinPolicy: 'allow' | 'warn' | 'block'
  /** True when it is in no list of the facade: servers that host it have their own. */
  readonly isUnlisted?: boolean
  readonly descriptors: { read(kind: CatalogKind): readonly Descriptor[] }
}

/** Herma itself as the server of its own tools. */
export const hermaSource: CatalogSource = {
  id: '',
  name: 'herma',
  prefix: '',
  position: -1,
  pinPolicy: 'allow',
  descriptors: { read: () => [] },
}
