import { sampleProcesses, storeProportionalMb } from '../machine/process-tree.ts'
import type { RunningHub } from '../target/herma.ts'
import { httpEndpoint, totalTools, waitUntilServing, type Fleet } from '../target/target.ts'

export interface IdleMemory {
  hubRssMb: number
  /** Hub and PostgreSQL together; what its processes share is counted once. */
  withStoreMb: number
}

const SETTLE_MS = 3000

/** Memory of a hub that has nothing to do; with a fleet, after it has listed the fleet's tools once. */
export async function measureIdle(hub: RunningHub, fleet?: Fleet): Promise<IdleMemory> {
  if (fleet) {
    const endpoint = httpEndpoint(hub.endpoint)
    await waitUntilServing({ endpoint, dialect: 'legacy', toolCount: totalTools(fleet) }, hub.started)
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const { rssMb } = sampleProcesses(hub.started.processId)
  return { hubRssMb: rssMb, withStoreMb: rssMb + storeProportionalMb(hub.started.processId) }
}
