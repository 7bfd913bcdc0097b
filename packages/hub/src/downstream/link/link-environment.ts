import type { AddressGuard } from '../../platform/network/index.ts'
import type { StdioEnvironment } from '../channel/stdio-channel.ts'
import type { OwnHub } from '../connector/own-hub.ts'

/** What a link needs of the machine. */
export interface LinkEnvironment extends StdioEnvironment {
  readonly guard: AddressGuard
  readonly ownHub?: OwnHub | undefined
  readonly isHttpFast?: boolean | undefined
}
