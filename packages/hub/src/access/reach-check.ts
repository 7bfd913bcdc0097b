import { randomBytes } from 'node:crypto'
import { HubError, type ReachReport } from '@herma/contract'

const timeoutMs = 10_000
const maxChecks = 10

/** Where the question of a check arrives. Anybody may ask: it only says whether this hub asked it. */
export const reachPath = '/api/access/reach'

/** Finds out whether an address leads to this very hub: it asks itself a question there that nobody else can answer. */
export class ReachCheck {
  readonly #questions = new Set<string>()

  /** Whether this hub asked it, and waits. */
  isAsked(question: string): boolean {
    return this.#questions.has(question)
  }

  async check(publicUrl: string | null): Promise<ReachReport> {
    if (publicUrl === null)
      throw new HubError(
        'INVALID_PARAMS',
        'There is no public URL to check. Set one: herma access --public-url https://…',
      )
    if (this.#questions.size >= maxChecks)
      throw new HubError('OVERLOADED', 'Too many checks are under way. Try again in a few seconds.')
    const question = randomBytes(24).toString('base64url')
    const begin = performance.now()
    this.#questions.add(question)
    try {
      const response = await fetch(`${publicUrl}${reachPath}/${question}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      await response.body?.cancel()
      const outcome = response.status === 204 ? reached : explainStatus(response.status)
      return { url: publicUrl, ms: performance.now() - begin, ...outcome }
    } catch (error) {
      return { url: publicUrl, ms: performance.now() - begin, ...explainFailure(publicUrl, error) }
    } finally {
      this.#questions.delete(question)
    }
  }
}

type Outcome = Pick<ReachReport, 'ok' | 'cause' | 'fix'>

const reached: Outcome = { ok: true, cause: null, fix: null }

function explainStatus(status: number): Outcome {
  if (status === 403)
    return failed('What answers refuses the name of the host.', 'Let the proxy or tunnel keep the Host header.')
  if (status === 502 || status === 503 || status === 504)
    return failed(
      `A proxy answers with status ${status}: it does not reach the hub.`,
      'Point it at the address of the hub.',
    )
  if (status >= 300 && status < 400)
    return failed(`The address leads on to another one (status ${status}).`, 'Write the address where it ends.')
  return failed(`Something else answers there (status ${status}).`, 'Point the tunnel or proxy at this hub.')
}

function explainFailure(publicUrl: string, error: unknown): Outcome {
  const { hostname } = new URL(publicUrl)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return failed(`${hostname} did not answer in time.`, 'Is the tunnel running, and the port open?')
  const cause = (error as Error).cause as (Error & { code?: string }) | undefined
  switch (cause?.code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failed(`The name ${hostname} is not known.`, 'Check its spelling and its DNS record.')
    case 'ECONNREFUSED':
      return failed(`Nobody listens at ${publicUrl}.`, 'Start the tunnel or the proxy.')
    default:
      return failed(cause?.message ?? (error as Error).message, 'Check the tunnel or proxy, and its certificate.')
  }
}

function failed(cause: string, fix: string): Outcome {
  return { ok: false, cause, fix }
}
