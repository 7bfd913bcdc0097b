import { setTimeout as sleep } from 'node:timers/promises'

import { sendRequest } from '../send-request.ts'
import { isStream, readStream, type HubExchange } from './hub-exchange.ts'

export interface ListeningStream extends Pick<HubExchange, 'url' | 'headers' | 'take' | 'drained'> {
  readonly signal: AbortSignal
  /** The hub does not know the connection any more, or is not there. */
  onLost(): void
}

const silenceMs = 60_000
const firstPauseMs = 200
const lastPauseMs = 10_000

/** Keeps the stream open on which the hub tells a legacy client what belongs to no request. Ends when it is lost. */
export async function keepListening(stream: ListeningStream): Promise<void> {
  const { url, signal } = stream
  let lastEventId: string | undefined
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    const headers: Record<string, string> = { ...stream.headers, accept: 'text/event-stream' }
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
    try {
      const answer = await sendRequest(url, { method: 'GET', headers, signal, silenceMs })
      if (isStream(answer)) {
        await readStream(answer, stream, (id) => {
          lastEventId = id
          pauseMs = firstPauseMs
        })
      } else {
        answer.resume()
        if (answer.statusCode === 404) return stream.onLost()
        // The events since then are not kept any more; what they told is told by the next ones.
        lastEventId = undefined
      }
    } catch {
      if (!signal.aborted) stream.onLost()
      return
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, lastPauseMs)
  }
}
