import type { Dialect } from '../client/mcp-client.ts'
import { startProcess } from '../machine/start-process.ts'
import { removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { httpEndpoint, totalTools, waitUntilServing, type Fleet, type RunningTarget } from './target.ts'

export interface GatewayOptions {
  name: string
  /** Absent = Node. */
  command?: string
  args: string[]
  port: number
  fleet: Fleet
  dialect: Dialect
  env?: Record<string, string>
  /** Where it serves MCP; absent = `/mcp`. */
  path?: string
  /** A folder of its own, which is its working directory and goes with it. */
  home?: string
}

/** Starts a program that offers the whole fleet on one path; one that does not come up leaves nothing behind. */
export async function startGateway({
  name,
  command = process.execPath,
  args,
  port,
  fleet,
  dialect,
  env,
  path = '/mcp',
  home,
}: GatewayOptions): Promise<RunningTarget> {
  const started = startProcess({ name, command, args, env, cwd: home, isPinned: true })
  const endpoint = httpEndpoint(`http://127.0.0.1:${port}${path}`)
  const toolCount = totalTools(fleet)
  const stop = async () => {
    await started.stop()
    if (home !== undefined) await removeTemporaryFolder(home)
  }
  try {
    await waitUntilServing({ endpoint, dialect, toolCount }, started)
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoints: [endpoint], toolCount, processId: started.processId, stop }
}
