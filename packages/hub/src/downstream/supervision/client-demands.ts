import type { Caller } from '../../wire/index.ts'

/** What clients want of a server. It outlives the downstream that fulfils it, as when a connector is edited. */
export class ClientDemands {
  /** Resources to report changes of, with the clients that asked. */
  readonly subscriptions = new Map<string, Set<Caller>>()
  /** The lowest level of log messages that a legacy client set; null when nobody did. */
  logLevel: string | null = null
  /** A modern client asked for log messages with one of its requests; each gets those that it asked for. */
  wantsEveryLog = false

  get level(): string | null {
    return this.wantsEveryLog ? 'debug' : this.logLevel
  }
}
