import type { OwnServer } from '../catalog/index.ts'
import { hubInfo, type Downstream } from '../downstream/index.ts'
import { isObject, type Era } from '../wire/index.ts'

/**
 * What the facade says that it can do. Lists may fill at any time, so everything that can be listed is always offered.
 * Extensions and experiments are those of the servers.
 */
export function offeredCapabilities(downstreams: readonly Downstream[], era: Era): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const { known } of downstreams) {
    for (const [name, value] of Object.entries(known?.handshake.capabilities ?? {})) {
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

/** The instructions of servers, each under its name. */
export function joinedInstructions(downstreams: readonly Downstream[]): { instructions?: string } {
  const parts = downstreams.flatMap(({ name, known }) => {
    const text = known?.handshake.instructions
    return text == null || text === '' ? [] : [{ name, text }]
  })
  if (parts.length === 0) return {}
  const instructions =
    parts.length === 1 ? parts[0]!.text : parts.map(({ name, text }) => `# ${name}\n\n${text}`).join('\n\n')
  return { instructions }
}

/** What a team or session says of itself. */
export function introduceOwn({ name, title, instructions }: OwnServer, era: Era) {
  return {
    capabilities: { tools: { listChanged: true }, ...(era === 'legacy' && { logging: {} }) },
    serverInfo: { name, title, version: hubInfo.version },
    ...(instructions !== '' && { instructions }),
  }
}
