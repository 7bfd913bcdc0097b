import { AsyncLocalStorage } from 'node:async_hooks'
import type { Principal } from '@herma/contract'

/** How something ended. `refused` = a rule or a limit said no; `tool-error` = the tool itself reported a failure. */
export type EventOutcome = 'ok' | 'tool-error' | 'error' | 'cancelled' | 'refused'

/** What an event may say besides what happened; absent where it does not apply. */
export interface EventContext {
  /** The correlation id: 32 hexadecimal digits, as in a traceparent. */
  readonly traceId?: string | undefined
  /** 16 hexadecimal digits. */
  readonly spanId?: string | undefined
  readonly parentId?: string | undefined
  /** Id of the principal. */
  readonly principal?: string | undefined
  readonly server?: string | undefined
  readonly connection?: string | undefined
  readonly session?: string | undefined
  readonly thread?: string | undefined
  /** `openai`, `anthropic`, `mcp:stdio`, `mcp:stream`, `own` …: which way the work went. */
  readonly route?: string | undefined
  /** How the client reached us: `stream`, `sse`, `rpc`. */
  readonly transport?: string | undefined
  readonly era?: 'legacy' | 'modern' | undefined
  readonly method?: string | undefined
  /** The tool, prompt or resource by the name that the client used. */
  readonly target?: string | undefined
  readonly requestBytes?: number | undefined
  readonly responseBytes?: number | undefined
  readonly ms?: number | undefined
  readonly outcome?: EventOutcome | undefined
  /** A code of the error table, or the number of a JSON-RPC error. */
  readonly errorCode?: string | undefined
}

/** One recorded fact. Its name is a noun, then what happened: `connector.added`. */
export interface HubEvent extends EventContext {
  readonly kind: string
  /** Milliseconds since 1970; of something that took time, its begin. */
  readonly at: number
  readonly connector: string | null
  /** Never holds a secret on purpose; what came from outside is redacted by value before it is stored. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Who does what is going on right now: a person or program at the management API. */
export interface Actor {
  readonly principal: Principal
  readonly traceId: string
}

const actors = new AsyncLocalStorage<Actor>()
let acting = 0

/** Runs work on behalf of somebody, so that every event until its end says who it was. */
export async function actAs<T>(actor: Actor, work: () => T | Promise<T>): Promise<T> {
  acting++
  try {
    return await actors.run(actor, work)
  } finally {
    // Until Node 24 a storage in use makes every callback of the process pay, the calls of clients too.
    if (--acting === 0) actors.disable()
  }
}

/** Who is acting; null = the hub itself, which does what its owner set. */
export function currentActor(): Principal | null {
  return actors.getStore()?.principal ?? null
}

/** Where features say that something happened. `trace` listens; nobody imports `trace`. */
export class Events {
  #listeners: readonly ((event: HubEvent) => void)[] = []
  #watchers: readonly ((noun: string) => void)[] = []
  /** How many events the server of a connector may cause in a minute, where somebody said so. */
  readonly limits = new Map<string, number>()

  /** For what happens now and then. */
  emit(
    kind: string,
    connector: string | null = null,
    data: Record<string, unknown> = {},
    context: EventContext = {},
  ): void {
    const actor = actors.getStore()
    const by = actor && { principal: actor.principal.id, traceId: actor.traceId }
    this.record({ ...by, ...context, kind, at: Date.now(), connector, data })
  }

  /** For the hot path: the event is passed on as it is. */
  record(event: HubEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** For what shows on a page and is not worth a record. Its name is a noun. */
  touch(noun: string): void {
    for (const watcher of this.#watchers) watcher(noun)
  }

  /** Told of nouns that were touched. Returns the function that stops it. */
  watch(watcher: (noun: string) => void): () => void {
    this.#watchers = [...this.#watchers, watcher]
    return () => {
      this.#watchers = this.#watchers.filter((each) => each !== watcher)
    }
  }

  /** Returns the function that stops listening. */
  listen(listener: (event: HubEvent) => void): () => void {
    this.#listeners = [...this.#listeners, listener]
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener)
    }
  }
}
