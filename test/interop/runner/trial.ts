import {
  prepareAttempts,
  prepareLaterAttempt,
  type Attempt,
  type AttemptName,
  type LaterAttemptName,
} from './attempts.ts'
import type { Answers, Impossible, InteropClient, Place, Session, Way } from './client.ts'
import { judgeOutcome } from './judge-outcome.ts'
import type { Stage } from './start-stage.ts'

/** What one attempt came to. */
export interface Cell {
  readonly attempt: AttemptName
  readonly server?: string
  readonly verdict: 'ok' | 'FAIL' | '–'
  /** Why it failed, or makes no sense. */
  readonly reason?: string
}

/**
 * The first question of a server that several clients call at once has no owner that could be known; from then on the
 * hub keeps the clients apart, and says so.
 */
const askedToTryAgain = /cannot tell which client this question is for/
const startsAnew = 'It connects anew for each request.'

/** One way of a client, from its connection to its end. One that cannot connect fails every attempt. */
export class Trial {
  readonly cells: Cell[] = []
  readonly #answers: Answers
  readonly #label: string
  #opening: Promise<Session> | undefined

  constructor(
    readonly client: InteropClient,
    readonly way: Way,
    private readonly stage: Stage,
  ) {
    this.#label = `${client.name} ${way.name}`.toLowerCase().replaceAll(' ', '-')
    this.#answers = {
      name: `Ada of ${this.#label}`,
      sampled: `The model of ${this.#label}`,
      root: `file:///home/${this.#label}`,
    }
  }

  /** Everything that needs no more than a connection. */
  async run(): Promise<void> {
    const { files: folder, tools } = this.stage
    for (const attempt of await prepareAttempts({ folder, tools, label: this.#label, answers: this.#answers })) {
      await this.#try(attempt)
    }
    if (this.client.isOneShot) return
    for (const server of this.stage.servers) {
      for (const [name, steps] of Object.entries(server.attempts(this.#answers))) {
        const impossible = { ...server.cannot?.(this.way.era), ...this.client.cannotWith?.(server.name) }
        await this.#try({ name: name as AttemptName, server: server.name, steps }, impossible)
      }
    }
  }

  /** After something happened to the hub: the same connection has to go on. */
  async goOn(name: LaterAttemptName): Promise<void> {
    const canAnswer = this.#reasonAgainst('legacy server asks') === undefined
    await this.#try(
      prepareLaterAttempt(name, this.#answers, canAnswer),
      this.client.isOneShot ? { [name]: startsAnew } : {},
    )
  }

  async close(): Promise<void> {
    await this.#opening?.then(
      (session) => session.close(),
      // What did not open has nothing to close.
      () => {},
    )
  }

  async #try(attempt: Attempt, impossible: Impossible = {}): Promise<void> {
    const { name, server } = attempt
    const place = { attempt: name, ...(server !== undefined && { server }) }
    const against = impossible[name] ?? this.#reasonAgainst(name)
    if (against !== undefined) {
      this.cells.push({ ...place, verdict: '–', reason: against })
      return
    }
    try {
      const session = await (this.#opening ??= this.#open())
      const make = () => makeAttempt(this.client, session, attempt)
      const makeAgain = () =>
        make().catch((error: Error) => (askedToTryAgain.test(error.message) ? make() : Promise.reject(error)))
      await (attempt.isAlone ? this.stage.takeTurn(makeAgain) : makeAgain())
      this.cells.push({ ...place, verdict: 'ok' })
    } catch (error) {
      this.cells.push({ ...place, verdict: 'FAIL', reason: (error as Error).message })
    }
  }

  #reasonAgainst(name: AttemptName): string | undefined {
    return this.way.cannot?.[name] ?? this.client.cannot[name]
  }

  /** An interrupted run closes it as well. */
  async #open(): Promise<Session> {
    const place: Place = { ...this.stage, answers: this.#answers }
    const session = await this.way.open(place)
    place.defer(() => session.close())
    return session
  }
}

async function makeAttempt(client: InteropClient, session: Session, { steps, verify }: Attempt): Promise<void> {
  for (const step of steps) {
    const problem = judgeOutcome(client, step, await session.request(step.request))
    if (problem !== undefined) throw new Error(`${JSON.stringify(step.request)}\n    ${problem}`)
  }
  await verify?.()
}
