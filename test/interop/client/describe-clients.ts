import type { InteropClient } from '../runner/client.ts'
import type { Programs } from '../runner/install-clients.ts'
import type { ClientName } from '../runner/options.ts'
import { describeAiSdk } from './ai-sdk.ts'
import { describeInspector } from './inspector.ts'
import { describeMcpRemote } from './mcp-remote.ts'
import { describeMcpdo } from './mcpdo.ts'
import { describeMcporter } from './mcporter.ts'
import { describePython } from './python.ts'

const descriptions: Record<ClientName, (programs: Programs) => Promise<InteropClient>> = {
  inspector: describeInspector,
  mcpdo: describeMcpdo,
  'mcp-remote': describeMcpRemote,
  mcporter: describeMcporter,
  'ai-sdk': describeAiSdk,
  'python-sdk': (programs) => describePython('mcp', programs),
  fastmcp: (programs) => describePython('fastmcp', programs),
}

/** The clients with these names, as they are installed. */
export function describeClients(names: readonly ClientName[], programs: Programs): Promise<InteropClient[]> {
  return Promise.all(names.map((name) => descriptions[name](programs)))
}
