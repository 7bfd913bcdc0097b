import type { Dispatcher } from 'undici'
import { Agent, fetchWith, type AddressGuard } from '../../platform/network/index.ts'

export interface ProviderFetch {
  readonly fetch: typeof globalThis.fetch
  /** Ends what is still under way. */
  stop(): Promise<void>
}

/** Turns that go to one provider at once. */
const maxSockets = 256
/** More than a model says in one answer. */
const maxAnswerBytes = 64 * 1024 * 1024
/** A local server loads its model first, and some think for minutes before they say a word; the turn has its own limit. */
const silenceMs = 10 * 60_000

/** How sessions reach providers: only addresses that the operator allows, and never on to where an answer points. */
export function createProviderFetch(guard: AddressGuard): ProviderFetch {
  const dispatcher: Dispatcher = new Agent({
    connect: guard.connector({ timeout: 10_000 }),
    connections: maxSockets,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxResponseSize: maxAnswerBytes,
  })
  // A redirect would take the key with it. The types of undici and of Node say the same in different words.
  const guarded = (url: Parameters<typeof fetchWith>[0], init: Parameters<typeof fetchWith>[1]) =>
    fetchWith(url, { ...init, redirect: 'error', dispatcher })
  return { fetch: guarded as unknown as typeof fetch, stop: () => dispatcher.destroy() }
}
