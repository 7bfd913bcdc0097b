import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import type { Log } from '../../../platform/log.ts'
import type { NotificationMessage, Params, ResponseMessage } from '../../../wire/index.ts'
import type { LineOutput } from '../client/line-output.ts'
import type { OpenRequest } from '../client/request-table.ts'
import type { HubSupervisor, HubRun } from '../hub/hub-supervisor.ts'
import { LegacyConnection } from './legacy-connection.ts'

export interface LegacyOptions {
  readonly path: string
  readonly keeper: HubSupervisor
  readonly output: LineOutput
  readonly log: Log
}

/** A cancellation may overtake its request on the way to the hub; then it is sent once more. */
const overtakeMs = 250
const restoreAfterMs = 1000

/** What clients with a connection have and others have not: at most one connection, kept alive from hub to hub. */
export class LegacySide {
  readonly #parts: LegacyOptions
  #connection: LegacyConnection | null = null
  #opened: Promise<unknown> = Promise.resolve()

  constructor(parts: LegacyOptions) {
    this.#parts = parts
  }

  get connection(): LegacyConnection | null {
    return this.#connection
  }

  /** Opens a connection in place of an earlier one. `work` sends initialize and resolves to whether it was taken. */
  open(params: Params, work: (connection: LegacyConnection) => Promise<boolean>): Promise<boolean> {
    const { keeper: _, ...parts } = this.#parts
    const connection = new LegacyConnection(params, {
      ...parts,
      suspect: (hub) => this.#watch(this.#restoreLater(hub)),
    })
    if (this.#connection !== null) this.#watch(this.#connection.close())
    this.#connection = connection
    const opened = work(connection)
    this.#opened = opened.then(
      (isTaken) => (isTaken ? undefined : this.#forget(connection)),
      () => this.#forget(connection),
    )
    return opened
  }

  /** The connection, once its initialize is answered. A client need not wait for that answer before it goes on. */
  async require(): Promise<LegacyConnection> {
    await this.#opened
    if (this.#connection !== null) return this.#connection
    throw new HubError('CONNECTION_REQUIRED', 'Send initialize first, or name the protocol version in _meta.')
  }

  /** Passes a notification on; without a connection or a hub there is nobody whom it could concern. */
  async notify(message: NotificationMessage, line: Buffer | string): Promise<void> {
    await this.#opened
    await this.#connection?.notify(this.#parts.keeper.hub, message, line)
  }

  async answer(message: ResponseMessage, line: Buffer): Promise<void> {
    await this.#connection?.answer(message, line)
  }

  /** Tells the hub that the client gave a request up. */
  async cancel(open: OpenRequest, message: NotificationMessage): Promise<void> {
    if (open.stage === 'waiting') return
    const line = JSON.stringify(message)
    await this.notify(message, line)
    if (performance.now() - open.openedAt > overtakeMs) return
    await sleep(overtakeMs, undefined, { ref: false })
    await this.notify(message, line)
  }

  /** A hub is there: the connection is opened again, so that the client hears of changes. */
  restore(hub: HubRun): void {
    this.#watch(this.#opened.then(() => this.#connection?.session(hub)).catch(() => this.#restoreLater(hub)))
  }

  /** The hub has gone. Who watches resources needs another one at once; everybody else at the next request. */
  replace(): void {
    // A search that fails is told by the keeper.
    if (this.#connection?.watchesResources === true) this.#parts.keeper.need(0).catch(() => undefined)
  }

  async close(): Promise<void> {
    await this.#connection?.close()
  }

  #forget(connection: LegacyConnection): void {
    if (this.#connection === connection) this.#connection = null
  }

  async #restoreLater(hub: HubRun): Promise<void> {
    const { keeper } = this.#parts
    await keeper.suspect(hub)
    await sleep(restoreAfterMs, undefined, { ref: false })
    if (keeper.hub === hub && this.#connection?.isClosed === false) this.restore(hub)
  }

  #watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#parts.log.warn('the connection of the client is disturbed', { error }))
  }
}
