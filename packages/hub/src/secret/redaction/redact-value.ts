import { isSecretName } from '@herma/contract'
import { mask } from './mask.ts'

const maxDepth = 32
const maxNodes = 50_000
const cut = '[…]'

/**
 * A copy in which fields with the name of a secret are masked, and all text went through `redact`.
 * What is too deep or too much is cut off, which also ends circles.
 */
export function redactValue(value: unknown, { redact, byName }: RedactOptions): unknown {
  let nodes = 0
  const copy = (each: unknown, depth: number): unknown => {
    if (typeof each === 'string') return redact(each)
    if (typeof each !== 'object' || each === null) return typeof each === 'bigint' ? String(each) : each
    if (depth >= maxDepth || ++nodes > maxNodes) return cut
    if (each instanceof Error) return redact(each.message)
    if (each instanceof Date) return each
    if (ArrayBuffer.isView(each)) return `[${each.byteLength} bytes]`
    if (Array.isArray(each)) return each.map((item) => copy(item, depth + 1))
    const isSecretPair = byName && holdsSecret(each as Record<string, unknown>)
    // Entries become own fields whatever their names, `__proto__` too.
    return Object.fromEntries(
      Object.entries(each).map(([name, field]) => {
        const isMasked = (isSecretPair && name === 'value') || (byName && isSecretName(name))
        return [redact(name), isMasked ? maskField(field) : copy(field, depth + 1)]
      }),
    )
  }
  return copy(value, 0)
}

interface RedactOptions {
  redact(text: string): string
  readonly byName: boolean
}

/** Headers and variables come as `{ name, value }` too. */
function holdsSecret({ name, value, secret }: Record<string, unknown>): boolean {
  if (typeof name !== 'string' || value === undefined) return false
  return typeof secret === 'boolean' ? secret : isSecretName(name)
}

// A count or a switch is none, whatever its name; nothing is gained by hiding that there is nothing.
function maskField(field: unknown): unknown {
  return field === null || field === undefined || field === '' || typeof field === 'boolean' ? field : mask
}
