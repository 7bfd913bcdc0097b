/** The pause that a Retry-After header asks for, in seconds or as a date; null when it says neither. */
export function readRetryAfter(value: string | null, now = Date.now()): number | null {
  if (value === null) return null
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  // A date has words; other numbers are none, although some engines read them as years.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** What an error says of a pause, for those who may try again. */
export function retryAfterData(value: string | null): { retryAfterMs: number } | undefined {
  const retryAfterMs = readRetryAfter(value)
  return retryAfterMs === null ? undefined : { retryAfterMs }
}
