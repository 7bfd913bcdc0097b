import { setup } from '../cases.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { startFleet } from '../run/start-fleet.ts'
import { addConnectors, openApi, type RunningHub } from '../target/herma.ts'
import type { Fleet } from '../target/target.ts'
import { measureConnections, type ConnectionMemory } from './connection-memory.ts'
import { measureIdle, type IdleMemory } from './idle-memory.ts'
import { measureStart, type StartTime } from './start-time.ts'
import { withHub } from './with-hub.ts'

/** What the hub costs when nobody calls it. A part that could not be measured is the reason why. */
export interface Footprint {
  idleEmpty: IdleMemory | string
  idleFull: IdleMemory | string
  start: StartTime | string
  connections: ConnectionMemory | string
}

const SETUP = setup('footprint', 10, 100)

/** Measures an empty hub, then one with 1,000 tools from 10 connectors. */
export async function measureFootprint(isQuick: boolean): Promise<Footprint> {
  const fleet = await startFleet(SETUP)
  const home = await makeTemporaryFolder('herma')
  try {
    return {
      idleEmpty: await attempt(() => withHub(home, [], (hub) => measureIdle(hub))),
      idleFull: await attempt(() => withHub(home, [], (hub) => fillAndMeasure(hub, fleet))),
      start: await attempt(() => measureStart(home, fleet, isQuick ? 1 : 5)),
      connections: await attempt(() => measureConnections(home)),
    }
  } finally {
    await fleet.stop()
    await removeTemporaryFolder(home)
  }
}

async function fillAndMeasure(hub: RunningHub, fleet: Fleet): Promise<IdleMemory> {
  await addConnectors(await openApi(hub), fleet)
  return measureIdle(hub, fleet)
}

async function attempt<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work()
  } catch (error) {
    return (error as Error).message
  }
}
