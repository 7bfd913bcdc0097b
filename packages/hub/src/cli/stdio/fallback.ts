import {
  isLegacyRevision,
  legacyRevisions,
  metaKeys,
  revisions,
  type Era,
  type RequestMessage,
} from '../../wire/index.ts'
import { version } from '../version.ts'
import { manageTool } from './manage-tool.ts'

const serverInfo = { name: 'herma', title: 'Herma', version }
const instructions = `The Herma hub is away, so its tools are missing. Call ${manageTool.name} to see why and to try again.`
const listChanged = true
const capabilities = {
  tools: { listChanged },
  prompts: { listChanged },
  resources: { listChanged, subscribe: true },
  completions: {},
}

/** The methods that the bridge answers itself while there is no hub. */
export const fallbackMethods: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list', 'ping'])

/**
 * The result of such a method. It offers what a hub always offers, so that the client asks for the rest when the hub is
 * back, and as the only tool the one that tells about the hub.
 */
export function fallbackResult({ method, params }: RequestMessage, era: Era): Record<string, unknown> {
  switch (method) {
    case 'initialize': {
      const wanted = params?.['protocolVersion']
      const protocolVersion = isLegacyRevision(wanted) ? wanted : legacyRevisions[0]
      return { protocolVersion, capabilities: { ...capabilities, logging: {} }, serverInfo, instructions }
    }
    case 'server/discover':
      return modern({ supportedVersions: [...revisions], capabilities, instructions })
    case 'tools/list':
      return era === 'modern' ? modern({ tools: [manageTool] }) : { tools: [manageTool] }
    default:
      return {}
  }
}

function modern(result: object): Record<string, unknown> {
  const _meta = { [metaKeys.serverInfo]: serverInfo }
  return { resultType: 'complete', ...result, ttlMs: 0, cacheScope: 'private', _meta }
}
