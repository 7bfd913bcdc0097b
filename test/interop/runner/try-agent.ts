import type { InteropAgent } from './client.ts'
import type { Stage } from './start-stage.ts'

export interface AgentCell {
  readonly check: string
  readonly verdict: 'ok' | 'FAIL'
  readonly reason?: string
}

export interface TriedAgent {
  readonly agent: InteropAgent
  readonly cells: readonly AgentCell[]
}

/** Each check in turn, also after one that failed: it may have done its part. */
export async function tryAgent(agent: InteropAgent, stage: Stage): Promise<TriedAgent> {
  const cells: AgentCell[] = []
  for (const check of agent.checks) {
    try {
      await check.run(stage)
      cells.push({ check: check.name, verdict: 'ok' })
    } catch (error) {
      cells.push({ check: check.name, verdict: 'FAIL', reason: (error as Error).message })
    }
  }
  return { agent, cells }
}
