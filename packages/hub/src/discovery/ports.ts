import type { ConnectorInput, ConnectorPatch, ConnectorView, SavedConnector } from '@herma/contract'

/** What discovery needs of the connectors. */
export interface DiscoveryConnectors {
  list(): ConnectorView[]
  add(input: ConnectorInput, options?: { readonly storeSecrets: boolean }): Promise<SavedConnector>
  update(name: string, patch: ConnectorPatch): Promise<ConnectorView>
  remove(name: string): Promise<void>
}

/** What discovery needs of the stored secrets. */
export interface DiscoverySecrets {
  list(): readonly { readonly name: string; readonly usedBy: readonly string[] }[]
  has(name: string): boolean
  set(name: string, input: { value: string; description: string }): Promise<unknown>
  remove(name: string, force?: boolean): Promise<void>
}
