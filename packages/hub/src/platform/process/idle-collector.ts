import { Session } from 'node:inspector'
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

const lookEveryMs = 1000
/** Below this share of its time the process counts as idle. */
const idleShare = 0.02
/** What a collection should free, or it is not worth its pause. */
const worthBytes = 8 * 1024 * 1024

/** What it looks at and does; a test puts others in their place. */
export interface IdleEnvironment {
  /** Share of the time since the look before that the process was busy. */
  busyShare(): number
  heapBytes(): number
  collect(): Promise<void>
}

/**
 * Gives memory back when there is nothing to do. V8 waits half a minute for that, and the start of a hub, or a burst of
 * calls, leaves as much behind as the idle hub needs. Returns what stops it.
 */
export function collectWhenIdle(environment: IdleEnvironment = ofThisProcess()): () => void {
  let keptBytes = 0
  const look = async () => {
    const isIdle = environment.busyShare() < idleShare
    if (!isIdle || environment.heapBytes() < keptBytes + worthBytes) return
    await environment.collect()
    keptBytes = environment.heapBytes()
  }
  const timer = setInterval(() => void look(), lookEveryMs).unref()
  return () => clearInterval(timer)
}

function ofThisProcess(): IdleEnvironment {
  let last: EventLoopUtilization = performance.eventLoopUtilization()
  return {
    busyShare() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    // Answers that waited for clients lie outside of the heap, and go with what holds them.
    heapBytes() {
      const { used_heap_size: inside, external_memory: outside } = getHeapStatistics()
      return inside + outside
    },
    collect: collectGarbage,
  }
}

/** A collection by `gc()` leaves the young generation as large as it had become, which is half of what can be given back. */
export function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) => {
    session.post('HeapProfiler.collectGarbage', () => {
      // Later, because V8 still holds a lock here that the end of the session waits for.
      setImmediate(() => {
        session.disconnect()
        resolve()
      })
    })
  })
}
