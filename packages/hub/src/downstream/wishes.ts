/** What clients want of a server. It outlives the downstream that fulfils it, as when a connector is edited. */
export class Wishes {
  /** Resources to report changes of, with the number of clients that asked. */
  readonly subscriptions = new Map<string, number>()
  /** The lowest level of log messages that anybody wants; null when nobody said. */
  logLevel: string | null = null

  get uris(): ReadonlySet<string> {
    return new Set(this.subscriptions.keys())
  }
}
