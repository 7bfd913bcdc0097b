/** What a local reference such as `#/$defs/node` points at. Undefined when there is nothing, or it is not local. */
export function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found = root
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part)
    if (typeof found !== 'object' || found === null || key === undefined || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

// https://www.rfc-editor.org/rfc/rfc6901#section-6
function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // A broken escape names nothing.
    return undefined
  }
}
