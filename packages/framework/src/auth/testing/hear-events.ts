import { on, type Events } from '../../telemetry/events.ts'

/** The events of authentication in this process until it is disposed. */
export class HeardEvents implements Disposable {
  readonly auth: Events['mcp.auth'][] = []
  readonly errors: Events['mcp.error'][] = []
  readonly #ends = [
    on('mcp.auth', (event) => this.auth.push(event)),
    on('mcp.error', (event) => this.errors.push(event)),
  ]

  get outcomes(): string[] {
    return this.auth.map(({ outcome }) => outcome)
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end()
  }
}
