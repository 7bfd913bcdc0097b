import type { BundleView, ConnectorView, NeededProgram } from '@herma/contract'
import { hashConnector } from './hash-connector.ts'
import { previewAddress, previewRecipe } from '../recipe/preview-command.ts'
import type { StoredInstall } from '../store.ts'
import type { ShelvedBundle } from './bundle-shelf.ts'
import type { Bundle } from './read-bundle.ts'

export interface BundleFacts {
  readonly shipped: ShelvedBundle | undefined
  readonly installed: ShelvedBundle | undefined
  readonly record: StoredInstall | undefined
  readonly connectors: readonly ConnectorView[]
  readonly programs: readonly NeededProgram[]
}

/** A bundle as it is shown: what it brings and needs, and how it stands. */
export function viewBundle(name: string, facts: BundleFacts): BundleView {
  const { shipped, installed, record, connectors, programs } = facts
  const bundle = installed?.bundle ?? shipped?.bundle ?? null
  const problem = installed === undefined ? (shipped?.problem ?? null) : installed.problem
  return {
    name,
    title: bundle?.manifest.title ?? record?.title ?? name,
    description: bundle?.manifest.description ?? '',
    isShipped: shipped !== undefined,
    state: stateOf(facts),
    problem: installed !== undefined && record === undefined ? null : problem,
    folder: (installed ?? shipped)?.folder ?? '',
    installedAt: record?.createdAt.toISOString() ?? null,
    connectors: bundle === null ? [] : viewConnectors(bundle, record, connectors),
    tools: [...(bundle?.tools ?? [])],
    needs: [...(bundle?.needs ?? [])],
    programs: [...programs],
  }
}

function stateOf({ shipped, installed, record, connectors }: BundleFacts): BundleView['state'] {
  if (record !== undefined) {
    if (installed !== undefined && installed.bundle === null) return 'broken'
    const files = installed?.bundle?.files ?? []
    const isSame =
      record.files.every(({ path, hash }) => files.some((file) => file.path === path && file.hash === hash)) &&
      record.connectors.every((each) => isUntouched(each, connectors))
    return isSame ? 'installed' : 'changed'
  }
  if (installed !== undefined) return 'manual'
  return shipped?.bundle === null ? 'broken' : 'available'
}

function isUntouched(brought: StoredInstall['connectors'][number], connectors: readonly ConnectorView[]): boolean {
  const connector = connectors.find(({ id }) => id === brought.id)
  return connector !== undefined && hashConnector(connector) === brought.hash
}

function viewConnectors(
  { recipes, needs }: Bundle,
  record: StoredInstall | undefined,
  connectors: readonly ConnectorView[],
): BundleView['connectors'] {
  const nameOf = (id: string) => needs.find((need) => need.id === id)?.name ?? id
  return recipes.map((recipe) => {
    const brought = record?.connectors.find((each) => each.name === recipe.name)
    const isThere = connectors.some(({ id, name }) =>
      brought === undefined ? name === recipe.name : id === brought.id,
    )
    const state = !isThere
      ? 'absent'
      : brought === undefined
        ? 'other'
        : isUntouched(brought, connectors)
          ? 'same'
          : 'changed'
    const { name, description } = recipe
    return { name, description, command: previewRecipe(recipe, nameOf), url: previewAddress(recipe, nameOf), state }
  })
}
