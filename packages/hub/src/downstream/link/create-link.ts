import { ChannelLink } from './channel-link.ts'
import { HttpLink } from './http-link.ts'
import type { Link, LinkOwner } from './link.ts'
import type { AddressGuard } from '../../platform/network/index.ts'
import type { LinkSettings } from './link-settings.ts'
import type { OwnHub } from '../connector/own-hub.ts'
import { SseChannel } from '../channel/sse-channel.ts'
import { StdioChannel, type StdioEnvironment } from '../channel/stdio-channel.ts'

/** What a link needs of the machine. */
export interface LinkEnvironment extends StdioEnvironment {
  readonly guard: AddressGuard
  readonly ownHub?: OwnHub | undefined
}

/** A link for the connector's transport, not opened yet. */
export function createLink(settings: LinkSettings, owner: LinkOwner, environment: LinkEnvironment): Link {
  switch (settings.transport) {
    case 'stream':
    case 'http':
      return new HttpLink(settings, owner, environment)
    case 'sse':
      return new ChannelLink(settings, owner, (events) => new SseChannel(settings, events, environment.guard))
    case 'stdio':
      return new ChannelLink(settings, owner, (events) => new StdioChannel(settings, events, environment))
  }
}
