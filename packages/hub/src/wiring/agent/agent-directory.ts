import type { OwnServer } from '../../catalog/index.ts'
import type { OwnServerFacts } from '../../gateway/index.ts'

/** Who knows teams and sessions by the names of their servers. */
interface Agents {
  serverOf(name: string): OwnServer | undefined
  factsOf(name: string): OwnServerFacts | undefined
}

/** Finds the team or session that is served under a name. It is empty until they are opened, and they enter themselves. */
export class AgentDirectory {
  #agents: Agents | null = null

  enter(agents: Agents): void {
    this.#agents = agents
  }

  serverOf(name: string): OwnServer | undefined {
    return this.#agents?.serverOf(name)
  }

  factsOf(name: string): OwnServerFacts | undefined {
    return this.#agents?.factsOf(name)
  }
}
