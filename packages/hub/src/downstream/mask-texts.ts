import { isObject } from '../wire/index.ts'

/** What a server or a client refers to things by: changed, they would lead nowhere. */
const references: ReadonlySet<string> = new Set(['name', 'uri', 'uriTemplate', '$ref', 'version', 'protocolVersion'])

/** A copy of what a server says of itself in which words hold no known secret. Without one it is the value itself. */
export function maskTexts<Value>(value: Value, redact: (text: string) => string): Value {
  const text = JSON.stringify(value) ?? ''
  return redact(text) === text ? value : (mask(value, redact) as Value)
}

function mask(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => mask(each, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      typeof each === 'string' && references.has(key) ? each : mask(each, redact),
    ]),
  )
}
