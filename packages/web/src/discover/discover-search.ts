export const discoverTabs = ['registry', 'clients', 'bundles', 'paste'] as const
export type DiscoverTab = (typeof discoverTabs)[number]

/** What the address of the page says. */
export interface DiscoverSearch {
  readonly tab?: DiscoverTab
  /** What is looked for in the registry. */
  readonly query?: string
  /** Address of the registry, when it is not the first. */
  readonly registry?: string
  /** The server of the registry, or the bundle, that is open. */
  readonly open?: string
}

export function readDiscoverSearch(search: Record<string, unknown>): DiscoverSearch {
  const tab = discoverTabs.find((each) => each === search['tab'])
  const text = (key: 'query' | 'registry' | 'open') =>
    typeof search[key] === 'string' && search[key] !== '' ? { [key]: search[key] } : {}
  return { ...(tab !== undefined && { tab }), ...text('query'), ...text('registry'), ...text('open') }
}
