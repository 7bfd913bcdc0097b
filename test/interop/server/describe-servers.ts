import type { Programs } from '../runner/programs.ts'
import type { InteropServer } from './interop-server.ts'
import { describeGoServers } from './go.ts'
import { describeOfficialServers } from './official.ts'
import { describePythonServers } from './python.ts'
import { describeTypeScriptServer } from './typescript.ts'

/** Each family with what it is called when it cannot be had. */
export const serverFamilies: readonly {
  readonly title: string
  /** It is small and starts fast. */
  readonly isQuick?: boolean
  describe(programs: Programs): Promise<readonly InteropServer[]>
}[] = [
  { title: 'servers on the TypeScript SDK 2', isQuick: true, describe: describeTypeScriptServer },
  { title: 'servers on the Python SDK 1 and FastMCP 3', describe: (programs) => describePythonServers('v1', programs) },
  {
    title: 'servers on the Python SDK 2 and FastMCP 4',
    isQuick: true,
    describe: (programs) => describePythonServers('v2', programs),
  },
  { title: 'servers on the Go SDK', describe: describeGoServers },
  { title: 'mcp-server-* of the older era', describe: (programs) => describeOfficialServers('v1', programs) },
  { title: 'mcp-server-* of both eras', describe: (programs) => describeOfficialServers('v2', programs) },
]
