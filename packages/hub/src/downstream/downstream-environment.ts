import type { SecretLookup } from '@herma/contract'
import type { BufferBudget } from '@herma/framework/wire'
import type { Events } from '../platform/events.ts'
import type { ProcessWatchdog } from '../platform/process/process-watchdog.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import type { Log } from '../platform/log.ts'
import type { AddressGuard } from '../platform/network/index.ts'
import type { Answer, Caller, NotificationMessage, Question } from '../wire/index.ts'
import type { ConnectorCredentials } from './authorization/credential/connector-credentials.ts'
import type { SignInLinks } from './authorization/sign-in/sign-in-links.ts'
import type { Downstream } from './downstream.ts'
import type { Isolator } from './isolation/isolator.ts'
import type { OwnHub } from './connector/own-hub.ts'
import type { Known } from './descriptor/known.ts'
import type { ToolApprovals } from './descriptor/tool-looks.ts'
import type { TokenValues } from './link/link-settings.ts'
import type { ClientDemands } from './supervision/client-demands.ts'

/** What a downstream reports to the hub. */
export interface DownstreamListener {
  onDescriptors(downstream: Downstream): void
  /** `isFor` says which clients are meant. */
  onNotification(downstream: Downstream, message: NotificationMessage, isFor: (caller: Caller) => boolean): void
  onQuestion(
    downstream: Downstream,
    connectionId: string | null,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>
}

export interface DownstreamEnvironment {
  readonly watchdog: ProcessWatchdog
  readonly events: Events
  readonly log: Log
  readonly listener: DownstreamListener
  /** Which addresses may be reached. */
  readonly guard: AddressGuard
  /** Counts what waits in memory. */
  readonly buffers: BufferBudget
  /** Whether ordinary answers are read at the socket, or all of them by undici. */
  readonly isHttpFast?: boolean | undefined
  readonly signInLinks: SignInLinks
  /** Absent where nothing is isolated. */
  readonly isolator?: Isolator | undefined
  /** Says who may choose what runs; absent where nobody asks. */
  readonly hostPolicy?: HostPolicy | undefined
  /** Absent where nobody asks. */
  readonly ownHub?: OwnHub | undefined
  /** How tools were approved; absent where nobody asks. */
  readonly approvals?: ToolApprovals | undefined
  redact(text: string): string
  readonly secretOf?: SecretLookup | undefined
  /** Aborted when installs that go on must end, because the hub does. */
  readonly installsEnd?: AbortSignal | undefined
}

/** What a downstream begins with. */
export interface DownstreamOrigin {
  readonly known: Known | null
  readonly demands: ClientDemands
  readonly credentials: ConnectorCredentials
  /** Tokens that have another value here than for everybody. */
  readonly tokens?: Partial<TokenValues> | undefined
  /** Resolves when the downstream whose place it takes has let go of what both may need. */
  readonly free?: Promise<void> | undefined
}
