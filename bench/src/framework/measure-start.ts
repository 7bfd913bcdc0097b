import { LEGACY_REVISION } from '../wire/protocol.ts'
import type { Contender } from './contender.ts'
import { cpuUs } from './cpu-time.ts'
import { makeLaunch } from './launch.ts'
import { StdioPeer } from './stdio-peer.ts'

export interface StartTurn {
  contender: string
  round: number
  wallMs: number
  cpuMs: number
}

/** From the start of the process to its first answered `tools/list` over stdio, for the hello world. */
export async function measureStart(contender: Contender, cwd: string): Promise<{ wallMs: number; cpuMs: number }> {
  const launch = await makeLaunch(contender, 'hello', { way: 'stdio/legacy' })
  const startedAt = performance.now()
  const peer = new StdioPeer(launch, cwd)
  try {
    await peer.initialize(LEGACY_REVISION)
    const { result } = await peer.request('tools/list', {})
    const times = { wallMs: performance.now() - startedAt, cpuMs: cpuUs(peer.processId) / 1000 }
    const [tool] = (result?.tools ?? []) as { name?: string }[]
    if (tool?.name !== 'add') throw new Error(`${contender.name} lists ${JSON.stringify(result).slice(0, 200)}`)
    return times
  } finally {
    await peer.stop()
  }
}
