import { ChannelLink } from './channel-link.ts'
import { HttpLink } from './http/http-link.ts'
import type { Link, LinkOwner } from './link.ts'
import type { LinkEnvironment } from './link-environment.ts'
import type { LinkSettings } from './link-settings.ts'
import { SseChannel } from '../channel/sse-channel.ts'
import { StdioChannel } from '../channel/stdio-channel.ts'

/** A link for the connector's transport, not opened yet. */
export function createLink(settings: LinkSettings, owner: LinkOwner, environment: LinkEnvironment): Link {
  switch (settings.transport) {
    case 'stream':
    case 'http':
      return new HttpLink(settings, owner, environment)
    case 'sse':
      return new ChannelLink(settings, owner, (events) => new SseChannel(settings, events, environment))
    case 'stdio':
      return new ChannelLink(settings, owner, (events) => new StdioChannel(settings, events, environment))
  }
}
