import { emit } from '../telemetry/events.ts'
import type { Clock } from './clock.ts'
import { aborted, isFirst, timeUp } from './is-first.ts'
import type { Health, Running } from './running.ts'

/** How to run one child of a supervisor. */
export interface ChildSpec {
  /** Unique among its siblings. */
  readonly id: string
  start(): Running | Promise<Running>
  /**
   * `permanent` (as if not given) starts again whenever it ended, `transient` when it crashed, `temporary` never.
   */
  readonly restart?: 'permanent' | 'transient' | 'temporary'
  /**
   * How long it may take to stop before it is left behind; 5000 unless given. Give `Infinity` for a supervisor, whose
   * children have limits of their own.
   */
  readonly shutdownMs?: number
}

/** How a life of a child ended. */
export interface End {
  readonly isCrash: boolean
  readonly error: unknown
}

/** One child through all of its lives. */
export class Child {
  running: Running | undefined
  /** How the last life ended by itself; undefined once it lives again. */
  end: End | undefined
  /** It ended and need not live again. */
  isOver = false

  constructor(
    readonly spec: ChildSpec,
    readonly clock: Clock,
    readonly onEnd: (child: Child, end: End) => void,
  ) {}

  get shutdownMs(): number {
    return this.spec.shutdownMs ?? 5000
  }

  health(): Health {
    return this.running?.health() ?? { status: 'down', connections: 0, inFlight: 0 }
  }

  /** Begins a life. Rejects when it does not come to one; returns early, alive or not, after the interruption. */
  async start(interruption: AbortSignal): Promise<void> {
    this.end = undefined
    this.isOver = false
    const starting = (async () => await this.spec.start())()
    const isHere =
      (await isFirst(starting, aborted(interruption))) ||
      // Nobody may wait for it longer than for one that has to stop.
      (await isFirst(starting, timeUp(this.clock, this.shutdownMs)))
    if (!isHere) {
      report(new Error(`Child '${this.spec.id}' was still starting when it had to stop, and is left behind.`))
      starting.then((late) => late.stop()).catch(report)
      return
    }
    const running = await starting
    this.running = running
    try {
      await isFirst(haveStarted(running), aborted(interruption))
    } catch (error) {
      await this.stop()
      throw error
    }
    running.done.then(
      () => this.#hearEnd(running, { isCrash: false, error: undefined }),
      (error: unknown) => this.#hearEnd(running, { isCrash: true, error }),
    )
  }

  /** Ends its life, within its time. Never rejects: the others have to be stopped all the same. */
  async stop(): Promise<void> {
    const { running } = this
    if (running === undefined) return
    this.running = undefined
    const stopping = (async () => await running.stop())()
    stopping.catch(report)
    const isStopped = await isFirst(stopping, timeUp(this.clock, this.shutdownMs)).catch(() => true)
    if (isStopped) return
    report(new Error(`Child '${this.spec.id}' did not stop within ${this.shutdownMs} ms, and is left behind.`))
  }

  #hearEnd(running: Running, end: End): void {
    if (this.running === running) {
      this.running = undefined
      this.end = end
      this.onEnd(this, end)
    } else if (end.isCrash) report(end.error)
  }
}

/** An error that changes nothing for the others, and that nobody else would hear of. */
export function report(error: unknown): void {
  emit('mcp.error', () => ({ server: '', error }))
}

async function haveStarted(running: Running): Promise<void> {
  const ended = running.done.then(() => {
    throw new Error('It ended while it was starting.')
  })
  // Whoever waits for the start hears of it; later it is heard as the end of the child.
  ended.catch(() => undefined)
  if (running.started !== undefined) await Promise.race([running.started, ended])
}
