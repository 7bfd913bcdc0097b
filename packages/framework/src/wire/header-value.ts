/** Base64 form of header values: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding */
const sentinel = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/
const plain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/

export function encodeHeaderValue(value: string): string {
  if (value === '' || (plain.test(value) && !(value.startsWith('=?base64?') && value.endsWith('?=')))) return value
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

/** Returns undefined for what no conforming client sends: a broken sentinel or characters that need encoding. */
export function decodeHeaderValue(value: string): string | undefined {
  if (value.startsWith('=?base64?') && value.endsWith('?=')) {
    const match = sentinel.exec(value)
    if (match === null || match[1]!.length % 4 !== 0) return undefined
    return Buffer.from(match[1]!, 'base64').toString('utf8')
  }
  return value === '' || plain.test(value) ? value : undefined
}
