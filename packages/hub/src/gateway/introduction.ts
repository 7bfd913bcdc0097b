import type { ConnectorBook } from '../downstream/index.ts'
import { isObject, type Era } from '../wire/index.ts'

/**
 * What the facade says that it can do. Lists may fill at any time, so everything that can be listed is always offered.
 * Extensions and experiments are those of the servers.
 */
export function offeredCapabilities(book: ConnectorBook, era: Era): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const { downstream } of book.entries()) {
    for (const [name, value] of Object.entries(downstream?.known?.handshake.capabilities ?? {})) {
      merged[name] = isObject(merged[name]) && isObject(value) ? { ...merged[name], ...value } : value
    }
  }
  const listChanged = true
  return {
    ...merged,
    tools: { listChanged },
    prompts: { listChanged },
    resources: { listChanged, subscribe: true },
    completions: {},
    ...(era === 'legacy' || merged['logging'] !== undefined ? { logging: {} } : {}),
  }
}

/** The instructions of all servers, each under its name. */
export function joinedInstructions(book: ConnectorBook): { instructions?: string } {
  const parts = book.entries().flatMap(({ downstream }) => {
    const text = downstream?.known?.handshake.instructions
    return text == null || text === '' ? [] : [{ name: downstream!.name, text }]
  })
  if (parts.length === 0) return {}
  const instructions =
    parts.length === 1 ? parts[0]!.text : parts.map(({ name, text }) => `# ${name}\n\n${text}`).join('\n\n')
  return { instructions }
}
