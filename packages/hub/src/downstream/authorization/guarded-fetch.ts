/** What became of the requests to an authorization server. */
export interface FetchOutcome {
  /** The authorization server was away or broken, which says nothing about the credentials. */
  isTransient: boolean
}

interface GuardedFetchOptions {
  redact(text: string): string
  readonly outcome: FetchOutcome
  /** Reaches no address that is forbidden. */
  readonly fetch: typeof fetch
}

const timeoutMs = 15_000
const maxErrorLength = 2000
const maxReadLength = 65_536
/** Statuses of answers that cannot have a body. */
const bodyless: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * A fetch for authorization servers. Credentials follow no redirect, nobody is waited for without end, and what an
 * error says has known secrets masked, because the SDK prints and throws it.
 */
export function createGuardedFetch({ redact, outcome, fetch }: GuardedFetchOptions) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const isPost = init.method === 'POST'
    let response: Response
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      response = await fetch(url, { ...init, redirect: isPost ? 'error' : 'follow', signal })
    } catch (error) {
      outcome.isTransient = true
      // The SDK takes anything but a TypeError for a server that does not know the address.
      throw new TypeError(`${new URL(url).origin} cannot be reached: ${reasonOf(error)}`, { cause: error })
    }
    if (response.ok) return response
    if (isPost && (response.status >= 500 || response.status === 429)) outcome.isTransient = true
    const { status, statusText, headers } = response
    // Masked before it is cut: of half a secret nobody would know that it is one.
    const text = redact((await response.text().catch(() => '')).slice(0, maxReadLength)).slice(0, maxErrorLength)
    return new Response(bodyless.has(status) ? null : text, { status, statusText, headers: plainHeaders(headers) })
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
}

// The body was decoded and changed, so these do not describe it any more.
function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers)
  plain.delete('content-length')
  plain.delete('content-encoding')
  return plain
}
