import type { LineReader } from '../../line-reader.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Tells of Ctrl-C, which a terminal that is being read sends as a key, and of signals. Returns what stops it. */
export function listenInterrupts(lines: LineReader | null, listener: () => void): () => void {
  const forget = lines?.onInterrupt(listener)
  for (const signal of signals) process.on(signal, listener)
  return () => {
    forget?.()
    for (const signal of signals) process.off(signal, listener)
  }
}
