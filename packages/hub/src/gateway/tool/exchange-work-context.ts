import { randomUUID } from 'node:crypto'
import { metaOf, progressTokenFor, readCallPath, type WorkContext } from '../../wire/index.ts'
import type { Exchange } from '../call/exchange.ts'

interface WorkContextOptions {
  readonly exchange: Exchange
  /** Aborts when the client gives up. */
  readonly signal: AbortSignal
}

/** Clients show each message; a letter at a time would be too many. */
const partialChars = 200
const partialMs = 150

/** Text that a client hears of while it is written. */
export interface ExchangeWorkContext extends WorkContext {
  /** Sends what has been held back. */
  flush(): void
}

/**
 * The request of a client as work that the hub does for it. Progress always rises: whole steps are reported as they
 * are, and pieces of text between them count a little each, so that a client of either era gets both in order.
 */
export function exchangeWorkContext({ exchange, signal }: WorkContextOptions): ExchangeWorkContext {
  const { traceId, spanId } = exchange.recorder.traceOf(exchange)
  let last = 0
  let total: number | undefined
  let held = ''
  let heldSince = 0
  const send = (progress: number, message: string, isText: boolean) => {
    const progressToken = progressTokenFor(exchange)
    last = progress
    if (progressToken === undefined) return
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && total >= progress && { total }),
      message,
      ...(isText && { _meta: { 'herma/partial': true } }),
    }
    exchange.notify({ jsonrpc: '2.0', method: 'notifications/progress', params })
  }
  const flush = () => {
    if (held === '') return
    const text = held
    held = ''
    send(last + 0.001, text, true)
  }
  return {
    principal: exchange.principal,
    caller: exchange.caller,
    isLocal: exchange.isLocal,
    signal,
    traceId,
    spanId,
    path: readCallPath(metaOf(exchange.params), randomUUID),
    ask: (question, withdrawn) => exchange.ask(question, AbortSignal.any([signal, withdrawn])),
    progress(done, of, message) {
      flush()
      total = of
      send(Math.max(done, last + 0.001), message, false)
    },
    partial(text) {
      if (held === '') heldSince = Date.now()
      held += text
      if (held.length >= partialChars || Date.now() - heldSince >= partialMs) flush()
    },
    flush,
  }
}
