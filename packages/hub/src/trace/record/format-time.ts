let lastSecond = 0
let lastPrefix = '1970-01-01T00:00:00.'

/**
 * A time in milliseconds since 1970 as ISO 8601. Nearly all events of a batch share their second, and a Date is ten
 * times dearer than the rest of a row.
 */
export function formatTime(at: number): string {
  const ms = isTime(at) ? Math.trunc(at) : 0
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1000).toISOString().slice(0, 20)
    lastSecond = second
  }
  const rest = ms - second * 1000
  return `${lastPrefix}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}

const endOfTime = Date.UTC(9999, 11, 31)

// A year of five digits would be written in another form.
function isTime(at: number): boolean {
  return at >= 0 && at <= endOfTime
}
