import type { OwnServer } from '../../catalog/index.ts'
import { announcedBy, hubInfo, type Downstream } from '../../downstream/index.ts'
import { isObject, type Era } from '../../wire/index.ts'

/** What a server says of itself. */
export interface Introduction {
  readonly capabilities: Record<string, unknown>
  readonly serverInfo: object
  readonly instructions?: string
  readonly _meta?: Record<string, unknown>
}

/** Whether a client is a hub itself. */
export function isHub(clientInfo: unknown): boolean {
  return isObject(clientInfo) && clientInfo['name'] === hubInfo.name
}

/** All servers together. What other hubs say would come back to them, longer each time, so that a hub is not told. */
export function introduceAll(downstreams: readonly Downstream[], era: Era, isForHub = false): Introduction {
  const capabilities = offeredCapabilities(downstreams, era)
  const heard = isForHub
    ? downstreams.filter(({ known }) => known === null || announcedBy(known.handshake) === null)
    : downstreams
  return { capabilities, serverInfo: hubInfo, ...joinedInstructions(heard) }
}

/** A server that is hosted alone: what it says itself. Of one that was never reached, what it may have is offered. */
export function introduceHosted(downstream: Downstream | null, era: Era): Introduction {
  const handshake = downstream?.known?.handshake
  if (downstream === null || handshake === undefined) return introduceAll([], era)
  const { capabilities, serverInfo, ...rest } = introduceAll([downstream], era)
  const given = handshake.capabilities
  const kept = Object.entries(capabilities).filter(([name]) => !listable.has(name) || given[name] !== undefined)
  const canWatch =
    handshake.era === 'modern' || (isObject(given['resources']) && given['resources']['subscribe'] === true)
  const resources = canWatch ? {} : { resources: { listChanged: true } }
  return {
    capabilities: { ...Object.fromEntries(kept), ...(given['resources'] !== undefined && resources) },
    serverInfo: downstream.health().serverInfo ?? serverInfo,
    ...rest,
  }
}

/** What not every server has. Tools may be there though nobody says so. */
const listable: ReadonlySet<string> = new Set(['prompts', 'resources', 'completions'])

/**
 * What the facade says that it can do. Lists may fill at any time, so everything that can be listed is always offered.
 * Extensions and experiments are those of the servers.
 */
function offeredCapabilities(downstreams: readonly Downstream[], era: Era): Record<string, unknown> {
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
function joinedInstructions(downstreams: readonly Downstream[]): { instructions?: string } {
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
export function introduceOwn({ name, title, instructions }: OwnServer, era: Era): Introduction {
  return {
    capabilities: { tools: { listChanged: true }, ...(era === 'legacy' && { logging: {} }) },
    serverInfo: { name, title, version: hubInfo.version },
    ...(instructions !== '' && { instructions }),
  }
}
