import type { Dialect } from '../client/mcp-client.ts'
import { startProcess } from '../machine/start-process.ts'
import { removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { httpEndpoint, totalTools, waitUntilServing, type Fleet, type RunningTarget } from './target.ts'

export interface GatewayOptions {
  name: string
  /** Arguments for Node. */
  args: string[]
  port: number
  fleet: Fleet
  dialect: Dialect
  env?: Record<string, string>
  /** A folder of its own, which is its working directory and goes with it. */
  home?: string
}

/** Starts a Node program that offers the whole fleet at `/mcp`; one that does not come up leaves nothing behind. */
export async function startGateway({
  name,
  args,
  port,
  fleet,
  dialect,
  env,
  home,
}: GatewayOptions): Promise<RunningTarget> {
  const started = startProcess({ name, command: process.execPath, args, env, cwd: home })
  const endpoint = httpEndpoint(`http://127.0.0.1:${port}/mcp`)
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
