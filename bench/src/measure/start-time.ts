import { makeClient } from '../client/make-client.ts'
import { listToolNames } from '../client/mcp-client.ts'
import { median } from '../client/percentile.ts'
import { launchHub } from '../target/herma.ts'
import { httpEndpoint, totalTools, type Fleet } from '../target/target.ts'

export interface StartTime {
  /** From the start of the process to the first answered `tools/list`. */
  firstListMs: number
  /** To the first one that has every tool. */
  completeListMs: number
  runs: number
}

const POLL_MS = 5
const LIMIT_MS = 30_000

/** Starts a hub on a store that knows the fleet already, as often as asked. */
export async function measureStart(home: string, fleet: Fleet, runs: number): Promise<StartTime> {
  const first: number[] = []
  const complete: number[] = []
  for (let run = 0; run < runs; run++) {
    const times = await startOnce(home, totalTools(fleet))
    first.push(times.firstListMs)
    complete.push(times.completeListMs)
  }
  return { firstListMs: median(first), completeListMs: median(complete), runs }
}

async function startOnce(home: string, toolCount: number) {
  const startedAt = performance.now()
  const hub = await launchHub(home)
  let firstListMs: number | undefined
  try {
    for (;;) {
      const listed = await Promise.race([tryList(hub.endpoint), hub.started.failed])
      const elapsedMs = performance.now() - startedAt
      if (listed !== null) firstListMs ??= elapsedMs
      if (listed === toolCount && firstListMs !== undefined) return { firstListMs, completeListMs: elapsedMs }
      if (elapsedMs > LIMIT_MS) throw new Error(`${listed ?? 'no'} tools listed after ${LIMIT_MS / 1000} s`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  } finally {
    await hub.started.stop()
  }
}

/** How many tools are listed, or null while nobody answers. */
async function tryList(url: string): Promise<number | null> {
  const client = makeClient(httpEndpoint(url), 'legacy', LIMIT_MS)
  try {
    await client.open()
    return (await listToolNames(client)).length
  } catch {
    // Not listening yet, or not ready yet: both are what is being timed.
    return null
  } finally {
    await client.close().catch(() => {})
  }
}
