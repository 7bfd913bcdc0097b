import type { Principal } from '@herma/contract'
import { hubInfo } from '../../downstream/index.ts'
import { legacyRevisions } from '../../wire/index.ts'

/** Somebody who talks to a session over the management API: there is no MCP client that could be asked. */
export function chatCaller(principal: Principal, server: string) {
  return {
    principal,
    caller: {
      principal: principal.id,
      server,
      era: 'legacy',
      revision: legacyRevisions[0],
      clientInfo: { name: 'herma-chat', version: hubInfo.version },
      capabilities: {},
      connectionId: null,
      logLevel: null,
    },
    isLocal: false,
    ask: null,
    progress: () => undefined,
    partial: () => undefined,
  } as const
}
