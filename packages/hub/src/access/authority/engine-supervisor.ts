import { createEngine, type Engine, type EngineOptions } from './engine.ts'
import type { AuthorityStore } from './store.ts'

type EngineSettings = Omit<EngineOptions, 'secret'>

export interface EngineSupervisorOptions {
  readonly store: Pick<AuthorityStore, 'openSecret' | 'removeOtherResources'>
  settings(): EngineSettings
}

/** Makes the engine when it is first needed, and another one when a setting has changed since. */
export class EngineSupervisor {
  readonly #options: EngineSupervisorOptions
  #made: { readonly fingerprint: string; readonly engine: Promise<Engine> } | null = null
  #secret: Promise<string> | null = null

  constructor(options: EngineSupervisorOptions) {
    this.#options = options
  }

  async get(): Promise<Engine> {
    const settings = this.#options.settings()
    const { publicUrl, issuer, registration, resources, providers } = settings
    const fingerprint = JSON.stringify([publicUrl, issuer, registration, resources, providers])
    if (this.#made?.fingerprint !== fingerprint) this.#made = { fingerprint, engine: this.#make(settings) }
    const { engine } = this.#made
    // A store that was away for a moment must not leave us without an engine for good.
    engine.catch(() => (this.#made = null))
    return await engine
  }

  secret(): Promise<string> {
    this.#secret ??= this.#options.store.openSecret().catch((error: unknown) => {
      this.#secret = null
      throw error
    })
    return this.#secret
  }

  async #make(settings: EngineSettings): Promise<Engine> {
    const secret = await this.secret()
    await this.#options.store.removeOtherResources(settings.resources.map(({ url }) => url))
    const engine = await createEngine({ ...settings, secret })
    // Its tables are filled with what it needs before anybody uses it.
    await engine.$context
    return engine
  }
}
