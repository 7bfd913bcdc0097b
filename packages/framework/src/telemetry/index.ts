export { listenerFailures, on, type EventName, type Events } from './events.ts'
export { logTo, type LogLevel, type LogOptions } from './log-to.ts'
export { prometheus, prometheusContentType, type Prometheus, type PrometheusOptions } from './prometheus/prometheus.ts'
export type { Span } from './span.ts'
