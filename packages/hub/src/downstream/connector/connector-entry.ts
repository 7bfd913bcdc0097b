import type { ConnectorCredentials } from '../authorization/credential/connector-credentials.ts'
import type { Downstream } from '../downstream.ts'
import type { Known } from '../descriptor/known.ts'
import type { StoredConnector } from './store.ts'

export interface ConnectorEntry {
  readonly stored: StoredConnector
  /** Null while the connector is disabled or broken. */
  readonly downstream: Downstream | null
  /** What a connector without a downstream offered before, so that it is there again when it is enabled. */
  readonly known: Known | null
  /** What the hub shows its server. */
  readonly credentials: ConnectorCredentials
}
