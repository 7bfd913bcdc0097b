import type { InteropClient } from '../runner/client.ts'
import type { ClientName } from '../runner/options.ts'
import type { Programs } from '../runner/programs.ts'
import { describeAiSdk } from './ai-sdk.ts'
import { describeCodexClient } from './codex.ts'
import { describeGoSdk, describeMcpGo } from './go.ts'
import { describeInspector } from './inspector.ts'
import { describeMcpRemote } from './mcp-remote.ts'
import { describeMcpdo } from './mcpdo.ts'
import { describeMcporter } from './mcporter.ts'
import { describePython } from './python.ts'

/** How each client is found, once it is installed. */
export const clientDescriptions: Record<ClientName, (programs: Programs) => Promise<InteropClient>> = {
  inspector: describeInspector,
  mcpdo: describeMcpdo,
  'mcp-remote': describeMcpRemote,
  mcporter: describeMcporter,
  'ai-sdk': describeAiSdk,
  'python-sdk-1': (programs) => describePython('mcp', 'v1', programs),
  'python-sdk-2': (programs) => describePython('mcp', 'v2', programs),
  'fastmcp-3': (programs) => describePython('fastmcp', 'v1', programs),
  'fastmcp-4': (programs) => describePython('fastmcp', 'v2', programs),
  'go-sdk': describeGoSdk,
  'mcp-go': describeMcpGo,
  'codex-app-server': describeCodexClient,
}
