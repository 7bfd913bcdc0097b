import { HubError, type Connector } from '@herma/contract'
import type { Call } from '../../wire/index.ts'

interface Waiting {
  readonly call: Call
  readonly since: number
}

/** Calls that wait until a server that asks its clients has no other client's call under way. First come, first served. */
export class WaitingLine {
  readonly #connector: Connector
  readonly #connectorId: string
  readonly #send: (call: Call) => boolean
  #waiting: Waiting[] = []

  /** `send` returns false when the call still has to wait. */
  constructor(connectorId: string, connector: Connector, send: (call: Call) => boolean) {
    this.#connectorId = connectorId
    this.#connector = connector
    this.#send = send
  }

  get length(): number {
    return this.#waiting.length
  }

  add(call: Call): void {
    const entry = { call, since: performance.now() }
    this.#waiting.push(entry)
    call.runner = {
      connector: this.#connector.name,
      connectorId: this.#connectorId,
      cancel: () => this.#drop(entry),
    }
  }

  /** Called when a call has ended. */
  advance(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#waiting = waiting.filter(({ call }) => !call.isDone && !this.#send(call)).concat(this.#waiting)
  }

  /** Gives up the line; those that stood in it are somebody else's now. */
  empty(): Call[] {
    const calls = this.#waiting.map(({ call }) => call)
    this.#waiting = []
    return calls
  }

  /** Refuses those that waited for too long. */
  endOverdue(now: number): void {
    const { requestTimeoutMs } = this.#connector.options
    if (requestTimeoutMs === 0) return
    for (const entry of this.#waiting.filter(({ since }) => now - since > requestTimeoutMs)) {
      this.#drop(entry)
      entry.call.fail(
        new HubError(
          'OVERLOADED',
          `'${this.#connector.name}' was busy with questions to other clients for ${requestTimeoutMs} ms. The call did not run.`,
        ),
      )
    }
  }

  #drop(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry)
  }
}
