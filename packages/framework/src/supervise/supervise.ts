import { ConfigError } from '../protocol/errors.ts'
import { checkPositive } from '../store/check-positive.ts'
import { emit } from '../telemetry/events.ts'
import { Child, type ChildSpec, type End, report } from './child.ts'
import { type Clock, systemClock } from './clock.ts'
import { deferred } from './deferred.ts'
import { aborted, isFirst } from './is-first.ts'
import { RestartLimit } from './restart-limit.ts'
import type { Health, Running } from './running.ts'

/** How children are restarted; all of it has defaults. */
export interface SuperviseOptions {
  /** Whom the end of a child concerns: itself (as if not given), all, or itself and those that started after it. */
  readonly strategy?: 'one_for_one' | 'one_for_all' | 'rest_for_one'
  /** More restarts than this (3 unless given) within `withinMs` (5000 unless given) make the supervisor give up. */
  readonly maxRestarts?: number
  readonly withinMs?: number
  /** How long to wait before the first, second, … restart within `withinMs`: 100 ms, doubled each time, up to 10 s. */
  readonly backoff?: (attempt: number) => number
  readonly clock?: Clock
}

/** Children that run under supervision, as one. */
export interface Supervisor extends Running {
  /** Resolves when all children have started; rejects when one did not. `done` then rejects as well. */
  readonly started: Promise<void>
}

/** A child did not start at first, or ended too often. `cause` is what it failed with. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed'
  constructor(
    readonly child: string,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause })
  }
}

/**
 * Starts children in order and stops them in reverse order, and restarts those that end as an Erlang supervisor does.
 * Handle `done`: it rejects after the supervisor gave up and stopped everything. It resolves after `stop()`, and when
 * every child has ended for good.
 */
export function supervise(children: readonly ChildSpec[], options: SuperviseOptions = {}): Supervisor {
  const ids = children.map((child) => child.id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) {
    throw new ConfigError(`Two children have the id '${twice}'.`, 'Give every child of a supervisor an id of its own.')
  }
  return new Supervision(children, options)
}

interface Failure {
  readonly child: Child
  readonly error: unknown
}

const defaultBackoff = (attempt: number) => Math.min(100 * 2 ** (attempt - 1), 10_000)

/** One thing happens after the other, as in a process of Erlang; drain and stop interrupt what is under way. */
class Supervision implements Supervisor {
  readonly #children: readonly Child[]
  readonly #strategy: NonNullable<SuperviseOptions['strategy']>
  readonly #limit: RestartLimit
  readonly #backoff: (attempt: number) => number
  readonly #clock: Clock
  readonly #started = deferred()
  readonly #done = deferred()
  /** Fires when no child may start any more. */
  readonly #interruption = new AbortController()
  /** Fires when nobody waits for work under way any more. */
  readonly #stopRequest = new AbortController()
  #isDown = false
  #hasStarted = false
  #work: Promise<void> = Promise.resolve()
  #stopping: Promise<void> | undefined

  constructor(children: readonly ChildSpec[], options: SuperviseOptions) {
    const { maxRestarts = 3, withinMs = 5000, clock = systemClock } = options
    if (!(maxRestarts >= 0)) throw new RangeError(`maxRestarts must be 0 or more, not ${String(maxRestarts)}.`)
    checkPositive('withinMs', withinMs)
    this.#strategy = options.strategy ?? 'one_for_one'
    this.#limit = new RestartLimit({ maxRestarts, withinMs })
    this.#backoff = options.backoff ?? defaultBackoff
    this.#clock = clock
    const onEnd = (child: Child, end: End) => void this.#enqueue(() => this.#handleEnd(child, end))
    this.#children = children.map((spec) => new Child(spec, clock, onEnd))
    // `done` tells the same, and has to be handled anyway.
    this.#started.promise.catch(() => undefined)
    void this.#enqueue(() => this.#startAll())
  }

  get started(): Promise<void> {
    return this.#started.promise
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  health(): Health {
    const living = this.#children.filter((child) => !child.isOver)
    const healths = living.map((child) => [child.spec.id, child.health()] as const)
    const sum = (count: 'connections' | 'inFlight') => healths.reduce((total, [, health]) => total + health[count], 0)
    return {
      status: this.#status(healths.map(([, health]) => health.status)),
      connections: sum('connections'),
      inFlight: sum('inFlight'),
      children: Object.fromEntries(healths.map(([id, health]) => [id, health.status])),
    }
  }

  /** All children at once. From now on none is restarted. */
  drain(ms?: number): Promise<void> {
    this.#interruption.abort()
    return this.#enqueue(async () => {
      const drains = this.#children.map(async (child) => await child.running?.drain(ms))
      await isFirst(Promise.all(drains.map((drain) => drain.catch(report))), aborted(this.#stopRequest.signal))
      this.#finishIfOver()
    })
  }

  stop(): Promise<void> {
    this.#interruption.abort()
    this.#stopRequest.abort()
    return (this.#stopping ??= this.#enqueue(async () => {
      await stopInReverse(this.#children)
      this.#finish()
    }))
  }

  #enqueue(job: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(job).catch((error: unknown) => this.#giveUp(error)))
  }

  async #startAll(): Promise<void> {
    const failure = await this.#startEach(this.#children)
    if (failure !== undefined) {
      const { id } = failure.child.spec
      throw new ChildFailed(id, `Child '${id}' did not start: ${messageOf(failure.error)}`, failure.error)
    }
    if (this.#interruption.signal.aborted) {
      return this.#started.reject(new Error('The supervisor had to stop before all of its children had started.'))
    }
    this.#hasStarted = true
    this.#started.resolve()
    this.#finishIfOver()
  }

  async #handleEnd(child: Child, end: End): Promise<void> {
    // It was restarted already, together with another child.
    if (child.end !== end) return
    const { id, restart = 'permanent' } = child.spec
    const isOver = restart === 'temporary' || (restart === 'transient' && !end.isCrash)
    if (!isOver && !this.#interruption.signal.aborted) {
      return await this.#restart(child, end.isCrash ? end.error : new Error(`Child '${id}' ended by itself.`))
    }
    if (end.isCrash) report(end.error)
    child.isOver = isOver
    this.#finishIfOver()
  }

  /** Repeats until all affected children run, something interrupts, or the restart limit is reached. */
  async #restart(child: Child, error: unknown): Promise<void> {
    let failure: Failure | undefined = { child, error }
    while (failure !== undefined && !this.#interruption.signal.aborted) {
      const attempt = this.#countRestart(failure)
      const concerned = this.#concernedBy(failure.child)
      await stopInReverse(concerned)
      for (const other of concerned) if (other.spec.restart === 'temporary') other.isOver = true
      await this.#pause(this.#backoff(attempt))
      failure = await this.#startEach(concerned.filter((other) => other.spec.restart !== 'temporary'))
    }
  }

  #countRestart({ child, error }: Failure): number {
    const { id } = child.spec
    const attempt = this.#limit.count(this.#clock.now())
    if (attempt === undefined) {
      const { maxRestarts, withinMs } = this.#limit.options
      const limit = `more than ${maxRestarts} restarts within ${withinMs} ms`
      throw new ChildFailed(id, `Gave up after ${limit}, the last of child '${id}': ${messageOf(error)}`, error)
    }
    emit('mcp.child.restart', () => ({ child: id, attempt, error }))
    return attempt
  }

  #concernedBy(child: Child): readonly Child[] {
    switch (this.#strategy) {
      case 'one_for_one':
        return [child]
      case 'one_for_all':
        return this.#children
      case 'rest_for_one':
        return this.#children.slice(this.#children.indexOf(child))
    }
  }

  /** Stops at the first that fails and returns it, or at an interruption. */
  async #startEach(children: readonly Child[]): Promise<Failure | undefined> {
    const { signal } = this.#interruption
    for (const child of children) {
      if (signal.aborted) return undefined
      try {
        await child.start(signal)
      } catch (error) {
        if (!signal.aborted) return { child, error }
        report(error)
      }
    }
    return undefined
  }

  async #pause(ms: number): Promise<void> {
    if (!(ms > 0)) return
    let callOff = () => {}
    const time = new Promise<void>((resolve) => {
      callOff = this.#clock.after(ms, resolve)
    })
    await isFirst(time, aborted(this.#interruption.signal))
    callOff()
  }

  #status(children: readonly Health['status'][]): Health['status'] {
    if (this.#isDown) return 'down'
    if (this.#interruption.signal.aborted) return 'draining'
    if (!this.#hasStarted || children.includes('down')) return 'down'
    return children.includes('draining') ? 'draining' : 'up'
  }

  #finishIfOver(): void {
    const isDraining = this.#interruption.signal.aborted
    if (this.#children.every((child) => child.running === undefined && (child.isOver || isDraining))) this.#finish()
  }

  #finish(): void {
    this.#isDown = true
    this.#done.resolve()
  }

  async #giveUp(error: unknown): Promise<void> {
    this.#interruption.abort()
    await stopInReverse(this.#children)
    this.#isDown = true
    this.#started.reject(error)
    this.#done.reject(error)
  }
}

async function stopInReverse(children: readonly Child[]): Promise<void> {
  for (const child of children.toReversed()) await child.stop()
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
