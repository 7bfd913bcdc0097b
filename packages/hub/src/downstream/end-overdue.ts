import { HubError, type Connector } from '@herma/contract'
import type { Link } from './link.ts'

/** Ends the calls of a link that were silent or under way for too long. Progress counts as a sign of life. */
export function endOverdue(link: Link, { name, options }: Connector, onError: (error: HubError) => void): void {
  const { requestTimeoutMs, maxRequestMs } = options
  const now = performance.now()
  for (const pending of link.pending.values()) {
    // Whoever listens waits for as long as it likes.
    if (pending.call.method === 'subscriptions/listen') continue
    const isSilent = requestTimeoutMs > 0 && pending.asking === 0 && now - pending.lastActivityAt > requestTimeoutMs
    const isOld = maxRequestMs > 0 && now - pending.startedAt > maxRequestMs
    if (!isSilent && !isOld) continue
    const limit = isSilent ? `was silent for ${requestTimeoutMs} ms` : `did not finish within ${maxRequestMs} ms`
    const error = new HubError('DOWNSTREAM_TIMEOUT', `'${name}' ${limit}. The call may have run.`)
    onError(error)
    pending.cancel('timed out')
    pending.call.fail(error)
  }
}
