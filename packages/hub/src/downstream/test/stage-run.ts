import type { TestStage } from '@herma/contract'

const stageNames: readonly TestStage['name'][] = ['resolve', 'start', 'handshake', 'list', 'call']

/** Runs the stages of a test one after the other, until one fails. */
export class StageRun {
  readonly stages: TestStage[] = []
  failed: TestStage['name'] | null = null
  readonly #redact: (text: string) => string

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  async stage(name: TestStage['name'], run: () => Promise<string>): Promise<void> {
    const startedAt = performance.now()
    const end = (outcome: TestStage['outcome'], detail: string) => {
      this.stages.push({
        name,
        outcome,
        ms: Math.round(performance.now() - startedAt),
        detail: this.#redact(detail).slice(0, 2000),
      })
    }
    try {
      end('ok', await run())
    } catch (error) {
      this.failed = name
      end('failed', error instanceof Error ? error.message : String(error))
      throw error
    }
  }

  skipRest(notAsked: readonly TestStage['name'][]): void {
    const done = new Set(this.stages.map((stage) => stage.name))
    for (const name of stageNames) {
      if (!done.has(name) && !notAsked.includes(name))
        this.stages.push({ name, outcome: 'skipped', ms: 0, detail: 'not reached' })
    }
  }
}
