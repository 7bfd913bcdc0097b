import { randomBytes } from 'node:crypto'
import { HubError, type Principal } from '@herma/contract'

const maxPasses = 100
const prefix = 'hp_'

/**
 * Passes for the hub itself: it comes to its own entrance on behalf of somebody, so that a test or a replay meets what
 * that one would meet. A pass never leaves the process and ends with the work that it was made for.
 */
export class Passes {
  readonly #passes = new Map<string, Principal>()

  async lend<T>(principal: Principal, use: (pass: string) => Promise<T>): Promise<T> {
    if (this.#passes.size >= maxPasses)
      throw new HubError(
        'OVERLOADED',
        `${maxPasses} tests and replays are under way, the limit. Try again in a moment.`,
      )
    const pass = prefix + randomBytes(32).toString('base64url')
    this.#passes.set(pass, principal)
    try {
      return await use(pass)
    } finally {
      this.#passes.delete(pass)
    }
  }

  /** Undefined for what is no pass, or not any more. */
  principalOf(credential: string): Principal | undefined {
    return credential.startsWith(prefix) ? this.#passes.get(credential) : undefined
  }
}
