import type { JSONValue } from '@modelcontextprotocol/server'
import { StaleRevision } from '../protocol/errors.ts'
import { describeIssues } from '../schema/describe-issues.ts'
import type { Store } from '../store/store.ts'
import type { Context, State, StateOptions } from './context.ts'

const maxTries = 20
const hourMs = 3_600_000

/** One record of the store as a value that several requests, and processes, can change safely. */
export class StateCell<S> implements State<S> {
  readonly #store: Store
  readonly #options: StateOptions<S>
  readonly #context: Context<S>
  readonly #key: string

  constructor(store: Store, options: StateOptions<S>, context: Context<S>, key: string) {
    this.#store = store
    this.#options = options
    this.#context = context
    this.#key = key
  }

  // Functions of their own, because handlers take them apart: `({ state: { get, update } })`.

  readonly get = async (): Promise<S> => (await this.#read()).state

  readonly set = async (state: S): Promise<void> => this.#save(state)

  readonly update = async (change: (state: S) => S | Promise<S>): Promise<S> => {
    for (let tries = 1; ; tries++) {
      const { state, revision } = await this.#read()
      const next = await change(state)
      try {
        await this.#save(next, revision)
        return next
      } catch (error) {
        if (!(error instanceof StaleRevision) || tries === maxTries) throw error
      }
    }
  }

  readonly clear = async (): Promise<void> => {
    await this.#store.delete(this.#key)
  }

  async #read(): Promise<{ state: S; revision: number }> {
    const stored = await this.#store.load(this.#key)
    if (stored === undefined) return { state: await this.#options.init(this.#context), revision: 0 }
    const { schema, load } = this.#options
    const state = load === undefined ? (stored.value as S) : load(stored.value)
    if (schema === undefined) return { state, revision: stored.revision }
    const checked = await schema['~standard'].validate(state)
    if (checked.issues !== undefined) {
      throw new Error(
        `The stored state does not fit its schema: ${describeIssues(checked.issues)}. Clear it, or migrate it.`,
      )
    }
    return { state: checked.value as S, revision: stored.revision }
  }

  async #save(state: S, ifRevision?: number): Promise<void> {
    const { dump, ttlMs = hourMs } = this.#options
    const value = dump === undefined ? (state as JSONValue) : dump(state)
    await this.#store.save(this.#key, value, { ttlMs, ...(ifRevision !== undefined && { ifRevision }) })
  }
}
