import { HubError, type Connector } from '@herma/contract'
import type { Link, Pending } from '../link/link.ts'
import { AnsweredError } from '../link/request-call.ts'

/**
 * Ends the calls of a link that were silent or under way for too long. Progress, log messages and questions are signs of
 * life. A legacy server that gives none is pinged, and waited for while it answers.
 */
export function endOverdue(link: Link, { name, options }: Connector, onError: (error: HubError) => void): void {
  const { requestTimeoutMs, maxRequestMs } = options
  const now = performance.now()
  for (const pending of link.pending.values()) {
    // Whoever listens waits for as long as it likes.
    if (pending.call.method === 'subscriptions/listen') continue
    const isOld = maxRequestMs > 0 && now - pending.startedAt > maxRequestMs
    if (!isOld && !isSilent(link, pending, { limitMs: requestTimeoutMs, now })) continue
    const limit = isOld ? `did not finish within ${maxRequestMs} ms` : `was silent for ${requestTimeoutMs} ms`
    const error = new HubError('DOWNSTREAM_TIMEOUT', `'${name}' ${limit}. The call may have run.`)
    onError(error)
    pending.cancel('timed out')
    pending.call.fail(error)
  }
}

function isSilent(link: Link, pending: Pending, { limitMs, now }: { limitMs: number; now: number }): boolean {
  if (limitMs === 0 || pending.asking > 0 || pending.call.method === 'ping') return false
  const { pings } = link
  const silentMs = now - Math.max(pending.lastActivityAt, pings.answeredAt)
  const canPing = link.era === 'legacy' && link.handshake !== null && !link.isClosed
  // Asked in good time, so that the answer is there when the limit is.
  if (canPing && silentMs > limitMs / 2 && !pings.isUnderWay && pings.askedAt <= now - silentMs) ping(link, limitMs)
  return silentMs > limitMs && !pings.isUnderWay
}

/** Bounds of the time that a server has to answer a ping. */
const [leastPingMs, mostPingMs] = [1000, 30_000]

function ping(link: Link, limitMs: number): void {
  const { pings } = link
  const timeoutMs = Math.min(Math.max(limitMs / 2, leastPingMs), mostPingMs)
  pings.isUnderWay = true
  pings.askedAt = performance.now()
  const answered = () => {
    pings.answeredAt = performance.now()
  }
  link
    .request('ping', undefined, timeoutMs)
    // A server that does not know the method lives all the same.
    .then(answered, (error: unknown) => (error instanceof AnsweredError ? answered() : undefined))
    .finally(() => {
      pings.isUnderWay = false
    })
}
