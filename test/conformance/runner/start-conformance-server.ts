import { fileURLToPath } from 'node:url'
import { startChild } from './child.ts'
import type { Defer } from './cleanup.ts'
import type { Era } from './legs.ts'

export type ServerUrls = { url: string; tasksUrl: string }

/** Starts our conformance server as a process of its own: the SDK's, or the one that our framework made. */
export async function startConformanceServer(
  era: Era | 'both',
  { isFramework = false, defer }: { isFramework?: boolean; defer: Defer },
): Promise<ServerUrls> {
  const script = fileURLToPath(new URL(isFramework ? '../framework-server.ts' : '../server.ts', import.meta.url))
  const flags = isFramework
    ? ['--conditions=herma-source', '--import', 'tsx', script]
    : ['--import', 'tsx', script, '--era', era]
  const child = startChild(process.execPath, flags)
  defer(() => child.stop())
  try {
    return JSON.parse(await child.firstLine()) as ServerUrls
  } catch (cause) {
    throw new Error('The conformance server did not start.', { cause })
  }
}
