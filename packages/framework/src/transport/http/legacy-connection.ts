import type { LegacyProtocol } from '../../host/legacy-protocol.ts'
import type { Peer } from '../../host/peer.ts'

/** A connection of a legacy client over HTTP, as the table of them sees it. */
export interface LegacyConnection extends Peer {
  readonly id: string
  readonly protocol: LegacyProtocol
  /** True while requests of the client are under way. */
  readonly isRunning: boolean
  /** True while the client has a stream open for what belongs to no request. */
  readonly isListening: boolean
}
