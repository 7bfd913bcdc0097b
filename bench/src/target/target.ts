import { listToolNames, type Dialect, type Endpoint } from '../client/mcp-client.ts'
import { makeClient } from '../client/make-client.ts'
import type { StartedProcess } from '../machine/start-process.ts'

/** What stands behind the targets: one or more test servers. */
export interface Fleet {
  /** In the order of their names d0, d1, … */
  connectors: { name: string; endpoint: Endpoint }[]
  /** All tools in one server, for targets that cannot join several; absent where they spread over the connectors. */
  whole?: Endpoint
  toolsEach: number
  /** The only era that the servers speak; absent or null = both. */
  era?: Era | null
}

export type Era = 'legacy' | 'modern'

/** Something that is measured. */
export interface Target {
  name: string
  /** A reference is a limit, ours is what we build, a peer is somebody else's from npm, a foreign one not from there. */
  kind: 'reference' | 'ours' | 'peer' | 'foreign'
  /** What a foreign one must have on the PATH. */
  program?: string
  /** What a reader must know about this target. */
  note: string
  /** It moves bytes without reading them, and so cannot translate between eras. */
  isBlind?: boolean
  /** What its ratios compare with; absent = `bare`. */
  limit?: string
  /** How its clients speak in each era; a missing era is not served. */
  dialects: Partial<Record<Era, Dialect>>
  /** Why it cannot serve this fleet, or null. */
  refuses(fleet: Fleet): string | null
  start(fleet: Fleet): Promise<RunningTarget>
}

export interface RunningTarget {
  endpoints: Endpoint[]
  /** Tools that each endpoint lists. */
  toolCount: number
  processId: number | null
  stop(): Promise<void>
}

export const httpEndpoint = (url: string): Endpoint => ({ kind: 'http', url })

export const totalTools = (fleet: Fleet) => fleet.connectors.length * fleet.toolsEach

const READY_TIMEOUT_MS = 60_000

/** Waits until the endpoint lists every tool, which is when a gateway knows all of its downstreams. */
export async function waitUntilServing(
  { endpoint, dialect, toolCount }: { endpoint: Endpoint; dialect: Dialect; toolCount: number },
  started: StartedProcess,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  let problem = 'it never answered'
  while (Date.now() < deadline) {
    const client = makeClient(endpoint, dialect, 10_000)
    try {
      await Promise.race([client.open(), started.failed])
      const names = await Promise.race([listToolNames(client), started.failed])
      if (names.length === toolCount) return
      problem = `it lists ${names.length} tools instead of ${toolCount}`
    } catch (error) {
      problem = (error as Error).message
    } finally {
      // Closing politely is not the point here; the next attempt opens its own.
      await client.close().catch(() => {})
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 100)), started.failed])
  }
  throw new Error(`not ready after ${READY_TIMEOUT_MS / 1000} s: ${problem}. Its last output:\n${started.output()}`)
}
