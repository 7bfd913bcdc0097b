/** Headers of an event stream, names and values in turn; proxies must neither keep nor gather it. */
export const streamHeaders: readonly string[] = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-cache, no-transform',
  'X-Accel-Buffering',
  'no',
]
