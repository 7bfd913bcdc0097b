import { HubError } from '@herma/contract'
import { createAddressFetch, type AddressGuard } from '../../platform/network/index.ts'
import { RegistryEntry, RegistryList } from './registry-entry.ts'
import { toFoundServer, type FoundServer } from './to-discovered-server.ts'

export interface FoundPage {
  readonly servers: readonly FoundServer[]
  readonly nextCursor: string | null
  readonly skipped: number
}

const pageSize = 30
const usualLimits = { ms: 15_000, bytes: 4 * 1024 * 1024 }
const maxCached = 100
const cacheMs = 5 * 60_000

interface Cached {
  readonly until: number
  readonly value: unknown
}

/** Asks registries that speak the API of the official one. Answers are kept for some minutes. */
export class RegistryClient {
  readonly #fetch: typeof fetch
  readonly #close: () => Promise<void>
  readonly #cache = new Map<string, Cached>()
  readonly #limits: typeof usualLimits

  /** The limits hold for one answer. */
  constructor(guard: AddressGuard, limits = usualLimits) {
    this.#limits = limits
    const { fetch, close } = createAddressFetch(guard)
    this.#fetch = fetch
    this.#close = close
  }

  stop(): Promise<void> {
    return this.#close()
  }

  /** One page of the servers whose name holds the text. */
  async search(registry: string, text: string, cursor?: string): Promise<FoundPage> {
    const query = new URLSearchParams({ version: 'latest', limit: String(pageSize) })
    if (text !== '') query.set('search', text)
    if (cursor !== undefined) query.set('cursor', cursor)
    const path = `/v0.1/servers?${query.toString()}`
    return this.#cached(`${registry} ${path}`, async () => {
      const list = RegistryList.safeParse(await this.#ask(registry, path))
      if (!list.success) throw notARegistry(registry)
      const found = list.data.servers.map((value) => readEntry(value, registry))
      const servers = found.filter((server) => server !== null)
      const nextCursor = list.data.metadata?.nextCursor || null
      return { servers, nextCursor, skipped: found.length - servers.length }
    })
  }

  /** One server. Throws SERVER_NOT_FOUND when the registry does not have it. */
  async get(registry: string, name: string, version = 'latest'): Promise<FoundServer> {
    return this.#cached(`${registry} ${name} ${version}`, async () => {
      const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`
      const answer = await this.#ask(registry, path, `${registry} has no server '${name}' in version ${version}.`)
      const found = readEntry(answer, registry)
      if (found === null) throw notARegistry(registry)
      return found
    })
  }

  async #cached<T>(key: string, load: () => Promise<T>): Promise<T> {
    const now = performance.now()
    const known = this.#cache.get(key)
    if (known !== undefined && known.until > now) return known.value as T
    const value = await load()
    this.#cache.delete(key)
    this.#cache.set(key, { until: now + cacheMs, value })
    // The first key is the oldest.
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= maxCached) break
      this.#cache.delete(oldest)
    }
    return value
  }

  async #ask(registry: string, path: string, notFound?: string): Promise<unknown> {
    const { ms, bytes } = this.#limits
    const signal = AbortSignal.timeout(ms)
    try {
      const url = registry.replace(/\/+$/, '') + path
      const response = await this.#fetch(url, { signal, headers: { accept: 'application/json' } })
      if (response.status === 404 && notFound !== undefined) {
        await response.body?.cancel()
        throw new HubError('SERVER_NOT_FOUND', `${notFound} Search for it: herma discover search WORDS`)
      }
      if (!response.ok) {
        await response.body?.cancel()
        throw new HubError('DOWNSTREAM_FAILED', `${registry} answered with status ${response.status}. Try again later.`)
      }
      return JSON.parse(await readText(response, bytes))
    } catch (error) {
      if (signal.aborted)
        throw new HubError('DOWNSTREAM_TIMEOUT', `${registry} did not answer within ${ms} milliseconds. Try again.`)
      throw explain(error, registry)
    }
  }
}

async function readText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > limit)
      throw new HubError(
        'ANSWER_TOO_LARGE',
        `The registry answered with more than ${limit} bytes. Search for more letters.`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readEntry(value: unknown, registry: string): FoundServer | null {
  const entry = RegistryEntry.safeParse(value)
  return entry.success ? toFoundServer(entry.data, registry) : null
}

function notARegistry(registry: string): HubError {
  return new HubError(
    'DOWNSTREAM_FAILED',
    `${registry} answers, but not like a registry of MCP servers. Check its address: herma discover registry`,
  )
}

function explain(error: unknown, registry: string): HubError {
  if (error instanceof HubError) return error
  if (error instanceof SyntaxError) return notARegistry(registry)
  // What fetch throws hides its reason.
  const { cause } = error as Error
  if (cause instanceof HubError) return cause
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? (error as Error).message
  return new HubError(
    'DOWNSTREAM_UNAVAILABLE',
    `${registry} cannot be reached (${reason}). Check the network of the hub, or use another registry: herma discover registry`,
    { cause: error },
  )
}
