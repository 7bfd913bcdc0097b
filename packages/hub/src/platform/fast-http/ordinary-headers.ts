const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const plainValue = /^[\t -~]*$/
/** What undici treats in a way of its own. */
const special: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
])

/** Whether these names and values in turn may be written as they are: plain ASCII, and nothing that frames a message. */
export function areOrdinary(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!
    if (!token.test(name) || special.has(name.toLowerCase()) || !plainValue.test(headers[index + 1]!)) return false
  }
  return true
}
