import { fileURLToPath } from 'node:url'
import { startChild } from './child.ts'
import type { Defer } from './cleanup.ts'
import type { Era } from './legs.ts'

export type ServerUrls = { url: string; tasksUrl: string }

/** Starts our conformance server as a process of its own. */
export async function startConformanceServer(era: Era | 'both', defer: Defer): Promise<ServerUrls> {
  const script = fileURLToPath(new URL('../server.ts', import.meta.url))
  const child = startChild(process.execPath, ['--import', 'tsx', script, '--era', era])
  defer(() => child.stop())
  try {
    return JSON.parse(await child.firstLine()) as ServerUrls
  } catch (cause) {
    throw new Error('The conformance server did not start.', { cause })
  }
}
