export interface NamedText {
  readonly name: string
  readonly value: string
}

/**
 * Names and values out of what people have at hand: lines of a `.env`, lines of headers, or a JSON object. Null when the
 * text is none of these, so that a key in PEM or a sentence stays one value.
 */
export function readRows(text: string): NamedText[] | null {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return readObject(trimmed)
  const lines = trimmed.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line))
  const rows = lines.map(readLine)
  return rows.length > 0 && rows.every((row) => row !== null) ? rows : null
}

function readObject(text: string): NamedText[] | null {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    const isFlat = entries.every(([, value]) => value === null || typeof value !== 'object')
    if (!isFlat || entries.length === 0) return null
    return entries.map(([name, value]) => ({ name, value: value === null ? '' : String(value) }))
  } catch {
    // Text that begins with a brace and is no JSON is a value like any other.
    return null
  }
}

/** `NAME=value`, `export NAME="value"  # why`, or `Name: value`. */
function readLine(line: string): NamedText | null {
  const variable = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=(.*)$/.exec(line)
  if (variable !== null) return { name: variable[1]!, value: unquote(variable[2]!) }
  const header = /^\s*["']?([A-Za-z][\w-]*)["']?\s*:\s+(.*)$/.exec(line)
  return header === null ? null : { name: header[1]!, value: unquote(header[2]!.replace(/,\s*$/, '')) }
}

function unquote(raw: string): string {
  const text = raw.trim()
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text)
  if (double !== null) return double[1]!.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
  const single = /^'([^']*)'\s*(?:#.*)?$/.exec(text)
  return single !== null ? single[1]! : text.replace(/\s+#.*$/, '')
}
