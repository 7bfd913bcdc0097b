/** 4.2 ms, 88 ms, 1.9 s, 3 min. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}

/** just now, 5 min ago, 3 h ago, 2 Nov. */
export function formatAgo(at: string | null | undefined, now = Date.now()): string {
  if (at === null || at === undefined) return 'never'
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000)
  if (seconds < 45) return 'just now'
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' })
}

// Making one costs more than a row of a list may take.
const clock = new Intl.DateTimeFormat([], { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** 14:02:31.250 on the day itself, with the date before. */
export function formatTime(at: string): string {
  const date = new Date(at)
  const time = clock.format(date)
  if (date.toDateString() === new Date().toDateString()) return time
  return `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${time}`
}

/** 1 tool, 2 tools. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? noun : plural}`
}

/** 12 kB, 3.4 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}
