import { ConfigError } from '../protocol/errors.ts'

/** Finds a forgotten handler, or definition, before the first call does: not everybody has a compiler. */
export function requireHandler(where: string, definition: unknown, handler: unknown): void {
  if (typeof definition === 'object' && definition !== null && typeof handler === 'function') return
  throw new ConfigError(`${where} needs a definition and a handler.`, 'Write { … } and then a function, in this order.')
}
