import type { ConnectorView } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { HostPolicy } from '../../platform/process/host-policy.ts'
import type { BoundPlace } from '../ports.ts'
import type { SessionSecrets } from '../session-secrets.ts'
import type { BindingDirectory } from './binding-directory.ts'
import type { SessionDirectory } from '../session-directory.ts'

/** The connectors as bindings need them. */
export interface BindableConnectors {
  /** Undefined for one that was removed. */
  byId(id: string): ConnectorView | undefined
  /** Throws CONNECTOR_NOT_FOUND. */
  byName(name: string): ConnectorView
  /** Tools by their names at the server, as far as they are known for this session. */
  toolsOf(place: BoundPlace): readonly string[]
  /** Whether the session has a connection or process of its own there. */
  hasOwnDownstream(place: BoundPlace): boolean
}

/** What bindings need of others. */
export interface BindingEnvironment {
  readonly connectors: BindableConnectors
  readonly sessions: SessionDirectory
  readonly directory: BindingDirectory
  readonly secrets: Pick<SessionSecrets, 'namesIn' | 'resolve' | 'isSecretName'>
  readonly redactor: { set(owner: string, values: Iterable<string>): void; remove(owner: string): void }
  readonly events: Events
  /** Says who may choose what runs; absent where nobody asks. */
  readonly hostPolicy?: HostPolicy | undefined
  /** Bindings of this session are different now. */
  onChange(sessionId: string): void
}
