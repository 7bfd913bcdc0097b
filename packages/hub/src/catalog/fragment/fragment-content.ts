import type { FragmentContent } from '@herma/contract'
import type { LoadedFragment } from './loaded-fragment.ts'

/** Counts what a layer adds to the catalog. */
export function fragmentContent({ fragment, customTools }: LoadedFragment): FragmentContent {
  const { master, servers = {} } = fragment?.toolOverrides ?? {}
  const ofServers = Object.values(servers).map(
    ({ enabled, tools }) => Object.keys(tools).length + (enabled === undefined ? 0 : 1),
  )
  return {
    overrides: ofServers.reduce((sum, each) => sum + each, master === undefined ? 0 : 1),
    hidden: fragment?.hiddenTools.length ?? 0,
    aggregates: fragment?.aggregations.length ?? 0,
    pipelines: fragment?.pipelines.length ?? 0,
    customTools: customTools.length,
    views: fragment?.views.length ?? 0,
  }
}
