import type { IncomingMessage, ServerResponse } from 'node:http'
import { ConfigError } from '../../protocol/errors.ts'
import { listenerFailures } from '../events.ts'
import { countEvents } from './count-events.ts'
import { serverMetrics } from './server-metrics.ts'

/** What metrics are called and how fine they are; all of it has defaults. */
export interface PrometheusOptions {
  /** Begins the name of every metric; `mcp_` unless told. */
  readonly prefix?: string
  /** Upper bounds of the durations of requests, tools and questions, in seconds. */
  readonly buckets?: readonly number[]
  /** How many tools, and how many prompts, of one server get series of their own; 100 unless told. */
  readonly maxTargets?: number
}

/** Metrics that are being counted, until `stop`. */
export interface Prometheus {
  text(): string
  /** Answers GET and HEAD of any path. It asks nobody who they are: serve it where only Prometheus comes. */
  handler(request: IncomingMessage, response: ServerResponse): void
  stop(): void
}

/** The content type of the text, for a handler of your own. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8'

// Those of the semantic conventions, and two below them, because most tools answer faster than 10 ms.
const defaultBuckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/**
 * Counts what happens in every server of this process, as text that Prometheus scrapes. It counts from now on: call it
 * before serving, or the gauges miss what is open already.
 */
export function prometheus(options: PrometheusOptions = {}): Prometheus {
  const { prefix = 'mcp_', buckets = defaultBuckets, maxTargets = 100 } = options
  checkOptions(prefix, buckets, maxTargets)
  const metrics = serverMetrics(prefix, buckets)
  const stop = countEvents(metrics, maxTargets)
  const text = () => {
    for (const [event, count] of listenerFailures()) metrics.listenerFailures.raiseTo([event], count)
    return Object.values(metrics)
      .map((family) => family.text())
      .join('')
  }
  return {
    text,
    stop,
    handler(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end()
        return
      }
      const body = text()
      const headers = { 'content-type': prometheusContentType, 'content-length': Buffer.byteLength(body) }
      response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body)
    },
  }
}

function checkOptions(prefix: string, buckets: readonly number[], maxTargets: number): void {
  if (!/^(?:[a-zA-Z_:][\w:]*)?$/.test(prefix)) {
    throw new ConfigError(
      `prometheus({ prefix: '${prefix}' }) cannot begin the name of a metric.`,
      'Use letters, digits and underscores, and no digit first.',
    )
  }
  const rises = buckets.every((bound, index) => bound > (buckets[index - 1] ?? 0) && Number.isFinite(bound))
  if (buckets.length === 0 || !rises) {
    throw new ConfigError(
      `prometheus({ buckets: [${buckets.join(', ')}] }) are no bounds.`,
      'Give seconds above 0 that rise, such as [0.01, 0.1, 1].',
    )
  }
  if (!Number.isSafeInteger(maxTargets) || maxTargets < 1) {
    throw new ConfigError(`prometheus({ maxTargets: ${maxTargets} }) is no limit.`, 'Give a whole number above 0.')
  }
}
