import type { Call } from '../../wire/index.ts'
import type { Link } from '../link/link.ts'
import type { ClientDemands } from './client-demands.ts'

interface LogLevelOptions {
  readonly demands: ClientDemands
  readonly timeoutMs: number
  links(): readonly Link[]
  onError(error: Error): void
}

/** Tells legacy servers which log messages are wanted; a modern one hears it with each request. */
export class LogLevels {
  readonly #options: LogLevelOptions

  constructor(options: LogLevelOptions) {
    this.#options = options
  }

  set(level: string): void {
    const { demands } = this.#options
    if (demands.logLevel === level) return
    demands.logLevel = level
    void this.#tellAll()
  }

  /** A modern client says with each request which log messages it wants; a legacy server has to be told before. */
  isLacking({ caller }: Call, link: Link): boolean {
    const { wantsEveryLog } = this.#options.demands
    return caller.logLevel !== null && caller.era === 'modern' && link.era === 'legacy' && !wantsEveryLog
  }

  async wantEvery(): Promise<void> {
    this.#options.demands.wantsEveryLog = true
    await this.#tellAll()
  }

  async tell(link: Link): Promise<void> {
    const { demands, timeoutMs, onError } = this.#options
    const { level } = demands
    if (level === null || link.era === 'modern' || link.handshake?.capabilities['logging'] === undefined) return
    await link.request('logging/setLevel', { level }, timeoutMs).catch(onError)
  }

  async #tellAll(): Promise<void> {
    await Promise.all(this.#options.links().map((link) => this.tell(link)))
  }
}
