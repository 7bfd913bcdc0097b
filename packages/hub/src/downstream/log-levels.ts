import type { Call } from '../wire/index.ts'
import type { Link } from './link.ts'
import type { Wishes } from './wishes.ts'

interface LogLevelParts {
  readonly wishes: Wishes
  readonly timeoutMs: number
  links(): readonly Link[]
  onError(error: Error): void
}

/** Tells legacy servers which log messages are wanted; a modern one hears it with each request. */
export class LogLevels {
  readonly #parts: LogLevelParts

  constructor(parts: LogLevelParts) {
    this.#parts = parts
  }

  set(level: string): void {
    const { wishes } = this.#parts
    if (wishes.logLevel === level) return
    wishes.logLevel = level
    void this.#tellAll()
  }

  /** A modern client says with each request which log messages it wants; a legacy server has to be told before. */
  isLacking({ caller }: Call, link: Link): boolean {
    const { wantsEveryLog } = this.#parts.wishes
    return caller.logLevel !== null && caller.era === 'modern' && link.era === 'legacy' && !wantsEveryLog
  }

  async wantEvery(): Promise<void> {
    this.#parts.wishes.wantsEveryLog = true
    await this.#tellAll()
  }

  async tell(link: Link): Promise<void> {
    const { wishes, timeoutMs, onError } = this.#parts
    const { level } = wishes
    if (level === null || link.era === 'modern' || link.handshake?.capabilities['logging'] === undefined) return
    await link.request('logging/setLevel', { level }, timeoutMs).catch(onError)
  }

  async #tellAll(): Promise<void> {
    await Promise.all(this.#parts.links().map((link) => this.tell(link)))
  }
}
