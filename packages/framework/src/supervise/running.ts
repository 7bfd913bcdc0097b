/** How something that runs is doing, for probes. */
export interface Health {
  readonly status: 'up' | 'draining' | 'down'
  readonly connections: number
  readonly inFlight: number
  readonly children?: Readonly<Record<string, Health['status']>>
}

/** Something that runs until it is stopped or crashes: a transport that serves, a supervisor and its children. */
export interface Running {
  /** Where starting goes on after this was made: resolves when it is over, rejects when it failed. */
  readonly started?: Promise<void>
  /** Resolves when it has stopped, rejects when it crashed. Handle it: Node ends a process over a lost rejection. */
  readonly done: Promise<void>
  health(): Health
  /** Takes no new work, and resolves when the work under way is done or the time is up. */
  drain(ms?: number): Promise<void>
  /** Resolves when it has stopped; any call after the first waits for the same end. */
  stop(): Promise<void>
}
