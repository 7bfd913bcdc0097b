import { isObject, sourceOf, writeJson } from '../../wire/index.ts'

/** What a server or a client refers to things by: changed, they would lead nowhere. */
const references: ReadonlySet<string> = new Set(['name', 'uri', 'uriTemplate', '$ref', 'version', 'protocolVersion'])

/** A copy of what a server says of itself in which words hold no known secret. Without one it is the value itself. */
export function maskTexts<Value>(value: Value, redact: (text: string) => string): Value {
  if (!hasSecret(value, redact)) return value
  const masked = mask(value, redact) as Value
  const text = writeJson(masked)
  // What a repeated key hides from us, it does not hide from those who get the text.
  return sourceOf(masked) === undefined || redact(text) === text
    ? masked
    : (JSON.parse(JSON.stringify(masked)) as Value)
}

function hasSecret(value: unknown, redact: (text: string) => string): boolean {
  const [text, written] = [JSON.stringify(value) ?? '', sourceOf(value) === undefined ? '' : writeJson(value)]
  return redact(text) !== text || (written !== text && redact(written) !== written)
}

/** What stays the same stays the same object, and so keeps its text. */
function mask(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) {
    const list = value.map((each) => mask(each, redact))
    return list.every((each, index) => each === value[index]) ? value : list
  }
  if (!isObject(value)) return value
  const changed = Object.entries(value).flatMap(([key, each]) => {
    const kept = typeof each === 'string' && references.has(key) ? each : mask(each, redact)
    return kept === each ? [] : [[key, kept] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}
