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

/** How a run of a child ended. */
export interface End {
  readonly isCrash: boolean
  readonly error: unknown
}

/** One child, over all of its restarts. */
export class Child {
  running: Running | undefined
  /** How the last run ended by itself; undefined once it runs again. */
  end: End | undefined
  /** It ended and is not restarted. */
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

  /** Starts the child. Rejects when it fails to start; returns early, started or not, after an interruption. */
  async start(interruption: AbortSignal): Promise<void> {
    this.end = undefined
    this.isOver = false
    const starting = (async () => await this.spec.start())()
    const isHere =
      (await isFirst(starting, aborted(interruption))) ||
      // An interrupted start is waited for as long as a stop.
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

  /** Stops the child within its time. Never rejects: the others must be stopped too. */
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
