import type { Case, Setup } from '../cases.ts'
import type { Fleet, RunningTarget, Target } from '../target/target.ts'
import { openIdle } from './open-idle.ts'
import { startFleet } from './start-fleet.ts'

/** A target that could not be measured in a case, and why. */
export interface Omission {
  case: string
  target: string
  reason: string
  /** True when something broke; false when the target never claimed to do this. */
  isFailure: boolean
}

/** Everything that a group of cases needs, running: the test servers and every target in front of them. */
export class Stage {
  readonly omissions: Omission[] = []
  readonly #cases: Case[]
  readonly #running = new Map<string, RunningTarget>()
  readonly #stops: (() => Promise<void>)[] = []

  constructor(cases: Case[]) {
    this.#cases = cases
  }

  async start(targets: Target[], say: (line: string) => void): Promise<void> {
    for (const setup of new Set(this.#cases.map((each) => each.setup))) {
      say(`Starting ${targets.map((target) => target.name).join(', ')} for ${setup.name} …`)
      const fleet = await startFleet(setup)
      this.#stops.push(fleet.stop)
      for (const target of targets) await this.#startTarget(target, setup, fleet)
    }
  }

  find(target: Target, setup: Setup): RunningTarget | undefined {
    return this.#running.get(`${target.name} ${setup.name}`)
  }

  /** Notes once that a target is missing in a case. */
  omit(omission: Omission): void {
    const isKnown = this.omissions.some((each) => each.case === omission.case && each.target === omission.target)
    if (!isKnown) this.omissions.push(omission)
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).toReversed()) await stop()
  }

  async #startTarget(target: Target, setup: Setup, fleet: Fleet): Promise<void> {
    const omitAll = (reason: string, isFailure: boolean) => {
      for (const each of this.#cases) {
        if (each.setup === setup) this.omit({ case: each.name, target: target.name, reason, isFailure })
      }
    }
    const refusal = target.refuses(fleet)
    if (refusal !== null) return omitAll(refusal, false)
    try {
      const running = await target.start(fleet)
      this.#stops.push(running.stop)
      if (setup.idle > 0) this.#stops.push(await openIdle(running, setup.idle))
      this.#running.set(`${target.name} ${setup.name}`, running)
    } catch (error) {
      omitAll(`did not start: ${(error as Error).message}`, true)
    }
  }
}
