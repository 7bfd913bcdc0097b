/** Bytes that may wait in memory for those who do not take them. */
export interface BufferLimits {
  /** For one client. */
  readonly client: number
  /** For everything that one principal has connected. */
  readonly principal: number
  /** For all of them together, with what is read and cannot be passed on yet. */
  readonly hub: number
}

/** Whose bytes wait. */
export interface BufferOwner {
  readonly principal: string
  /** What tells the clients of a principal apart: a connection, or a socket. */
  readonly client: object
}

/** Told when a client is cut off because it takes nothing. */
export interface ClientCut {
  readonly principal: string
  readonly bytes: number
  /** Whose budget was used up. */
  readonly over: keyof BufferLimits
  readonly limit: number
}

export interface BufferFigures {
  /** What waits: for the client and the principal with most of it, and in all. */
  readonly bytes: BufferLimits
  /** Responses of which something waits. */
  readonly slowReaders: number
  /** What is not read from until there is room. */
  readonly pausedReads: number
  /** Responses that were cut off, by whose budget was used up. */
  readonly cuts: BufferLimits
}

interface BudgetOptions {
  readonly limits?: BufferLimits
  onCut?(cut: ClientCut): void
  /** Milliseconds. */
  readonly clock?: () => number
}

const mebibyte = 1024 * 1024
const byDefault: BufferLimits = { client: 16 * mebibyte, principal: 32 * mebibyte, hub: 64 * mebibyte }

/** A client that has taken nothing for so long has stalled, and may be cut off when its room is used up. */
const stalledMs = 1000
/** When the hub is full everybody else would have to wait, so that it is not waited long for who takes nothing. */
const stalledWhenFullMs = 100
/** How often it is looked who has stalled, while there is too much, and how soon again when more comes. */
const lookEveryMs = 50
const lookAgainMs = 2
/** A hub that is full makes so much room at once, so that it is not full again with the next answer. */
const fullTo = 0.75
/** What of one message is read in any case, so that small messages never wait for large ones. */
export const freeBytes = 65_536

/**
 * Counts what waits in memory for clients to read it, and what is read and cannot be passed on yet. Above a limit,
 * whoever reads from servers pauses, and clients that take nothing are cut off, the longest silent first.
 */
export class BufferBudget {
  limits: BufferLimits
  readonly #onCut: BudgetOptions['onCut']
  readonly #clock: () => number
  /** Those that have something waiting. */
  readonly #outputs = new Set<OutputBuffer>()
  readonly #principals = new Map<string, number>()
  readonly #clients = new Map<object, number>()
  /** In the order in which they began; the first one may always read on, so that something always ends. */
  readonly #reservations = new Set<Reservation>()
  readonly #paused = new Map<object, () => void>()
  readonly #cuts = { client: 0, principal: 0, hub: 0 }
  #bytes = 0
  #isOver = false
  #timer: NodeJS.Timeout | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor({ limits = byDefault, onCut, clock = () => performance.now() }: BudgetOptions = {}) {
    this.limits = limits
    this.#onCut = onCut
    this.#clock = clock
  }

  /** What waits for the reader of one response; `cut` ends the response. */
  output(owner: BufferOwner, cut: () => void): OutputBuffer {
    return new OutputBuffer(owner, cut, {
      now: this.#clock,
      change: (output, change) => this.#change(output, change),
    })
  }

  /** What is read of one message before it can be passed on; `resume` lets the reading go on after a pause. */
  reserve(resume: () => void): Reservation {
    return new Reservation(resume, {
      take: (reservation, bytes) => this.#take(reservation, bytes),
      close: (reservation) => this.#close(reservation),
    })
  }

  get isFull(): boolean {
    return this.#bytes > this.limits.hub
  }

  /** Calls back once there is room again; the same key waits once. */
  waitForRoom(key: object, resume: () => void): void {
    this.#paused.set(key, resume)
    this.#watch()
  }

  stopWaiting(key: object): void {
    this.#paused.delete(key)
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** How full it is. */
  get figures(): BufferFigures {
    return {
      bytes: { client: largest(this.#clients), principal: largest(this.#principals), hub: this.#bytes },
      slowReaders: this.#outputs.size,
      pausedReads: this.#paused.size,
      cuts: this.#cuts,
    }
  }

  #change(output: OutputBuffer, change: number): void {
    const { principal, client } = output.owner
    const ofPrincipal = add(this.#principals, principal, change)
    const ofClient = add(this.#clients, client, change)
    this.#bytes += change
    if (output.bytes > 0) this.#outputs.add(output)
    else this.#outputs.delete(output)
    if (change < 0) return this.#makeRoom()
    const { client: forClient, principal: forPrincipal, hub } = this.limits
    if (this.#bytes > hub || ofPrincipal > forPrincipal || ofClient > forClient) this.#watch()
  }

  #take(reservation: Reservation, bytes: number): boolean {
    this.#reservations.add(reservation)
    reservation.tookAt = this.#clock()
    this.#bytes += bytes
    if (!this.isFull) return true
    this.#watch()
    if (reservation === this.#firstReservation() || reservation.bytes <= freeBytes) return true
    this.#paused.set(reservation, reservation.resume)
    return false
  }

  #close(reservation: Reservation): void {
    this.#reservations.delete(reservation)
    this.#paused.delete(reservation)
    this.#bytes -= reservation.bytes
    this.#makeRoom()
  }

  /** The one that came first, unless its server keeps it waiting: nobody else shall wait for that. */
  #firstReservation(): Reservation | undefined {
    const now = this.#clock()
    for (const reservation of this.#reservations)
      if (this.#paused.has(reservation) || now - reservation.tookAt < stalledMs) return reservation
    return undefined
  }

  /** Whoever paused goes on while there is room; without any, only the reservation that came first. */
  #makeRoom(): void {
    if (this.#paused.size === 0) return
    if (this.isFull) {
      const first = this.#firstReservation()
      if (first === undefined || !this.#paused.delete(first)) return
      first.tookAt = this.#clock()
      return first.resume()
    }
    for (const [key, resume] of new Map(this.#paused)) {
      if (this.isFull) return
      if (this.#paused.delete(key)) resume()
    }
  }

  #watch(): void {
    this.#isOver = true
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
    if (this.#clock() - this.#lookedAt >= lookAgainMs) this.#look()
  }

  /** Cuts off who has stalled, as long as a limit is exceeded. */
  #look(): void {
    this.#lookedAt = this.#clock()
    const { client, principal, hub } = this.limits
    const ofHub = this.isFull ? hub * fullTo : hub
    const patienceMs = this.isFull ? stalledWhenFullMs : stalledMs
    this.#isOver = false
    for (const output of longestSilentFirst(this.#outputs)) {
      const over =
        (this.#clients.get(output.owner.client) ?? 0) > client
          ? 'client'
          : (this.#principals.get(output.owner.principal) ?? 0) > principal
            ? 'principal'
            : this.#bytes > ofHub
              ? 'hub'
              : null
      if (over === null) continue
      this.#isOver = true
      if (this.#lookedAt - output.progressAt >= patienceMs) this.#cut(output, over)
    }
    this.#makeRoom()
    if (!this.#isOver && this.#paused.size === 0) this.stop()
  }

  #cut(output: OutputBuffer, over: keyof BufferLimits): void {
    const { bytes, owner } = output
    this.#cuts[over]++
    output.close()
    output.cut()
    this.#onCut?.({ principal: owner.principal, bytes, over, limit: this.limits[over] })
  }
}

interface OutputAccount {
  now(): number
  change(output: OutputBuffer, change: number): void
}

/** Bytes of one response that its client has not read yet. */
export class OutputBuffer {
  readonly owner: BufferOwner
  readonly cut: () => void
  bytes = 0
  /** When the client last took something. */
  progressAt: number
  readonly #account: OutputAccount
  #isClosed = false

  constructor(owner: BufferOwner, cut: () => void, account: OutputAccount) {
    this.owner = owner
    this.cut = cut
    this.#account = account
    this.progressAt = account.now()
  }

  /** Says how much waits now. Less than before, or the first of it, counts as a sign of life. */
  set(bytes: number): void {
    if (this.#isClosed) return
    const change = bytes - this.bytes
    if (change < 0 || this.bytes === 0) this.progressAt = this.#account.now()
    if (change === 0) return
    this.bytes = bytes
    this.#account.change(this, change)
  }

  /** The response is over: nothing of it waits any more. */
  close(): void {
    this.set(0)
    this.#isClosed = true
  }
}

interface ReservationAccount {
  take(reservation: Reservation, bytes: number): boolean
  close(reservation: Reservation): void
}

/** Bytes of one message that are read, and cannot be passed on before the rest is there. */
export class Reservation {
  bytes = 0
  tookAt = 0
  readonly resume: () => void
  readonly #account: ReservationAccount

  constructor(resume: () => void, account: ReservationAccount) {
    this.resume = resume
    this.#account = account
  }

  /** False asks to stop reading until `resume` is called. */
  take(bytes: number): boolean {
    this.bytes += bytes
    return this.#account.take(this, bytes)
  }

  close(): void {
    this.#account.close(this)
    this.bytes = 0
  }
}

function add<Key>(sums: Map<Key, number>, key: Key, change: number): number {
  const sum = (sums.get(key) ?? 0) + change
  if (sum <= 0) sums.delete(key)
  else sums.set(key, sum)
  return sum
}

function largest(sums: ReadonlyMap<unknown, number>): number {
  let most = 0
  for (const sum of sums.values()) most = Math.max(most, sum)
  return most
}

function longestSilentFirst(outputs: ReadonlySet<OutputBuffer>): OutputBuffer[] {
  return [...outputs].toSorted((one, other) => one.progressAt - other.progressAt)
}
