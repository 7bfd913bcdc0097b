import {
  type Era,
  isLegacyRevision,
  legacyRevisions,
  metaKeys,
  type RequestMessage,
  revisions,
} from '../../wire/index.ts'
import { version } from '../mcp/version.ts'
import type { HubSupervisor } from './hub/hub-supervisor.ts'

/** The management tool as the bridge offers it while there is no hub; the hub's own takes its place. */
export const manageTool = {
  name: 'manage_herma',
  title: 'Manage Herma',
  description:
    'Tells why the Herma hub is away and tries to reach it again. The tools of the hub appear once it is back.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: {
        type: 'string',
        enum: ['status', 'reconnect'],
        default: 'status',
        description: 'status: since when the hub is away, why, and the next step. reconnect: try again now.',
      },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      hub: { type: 'string', enum: ['away', 'starting', 'running'] },
      since: { type: 'string', description: 'When the hub was last there, or when the bridge began to look for it.' },
      error: { type: 'string', description: 'Why the last attempt failed.' },
      nextStep: { type: 'string' },
    },
    required: ['hub', 'since', 'nextStep'],
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

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

/** Answers a call of the management tool without a hub. */
export async function callManageTool(keeper: HubSupervisor, args: unknown, era: Era): Promise<Record<string, unknown>> {
  const operation = (args as { operation?: unknown } | undefined)?.operation ?? 'status'
  if (operation !== 'status' && operation !== 'reconnect') {
    const text = `There is no operation ${JSON.stringify(operation)}. There are: status, reconnect.`
    return toResult({ content: [{ type: 'text', text }], isError: true }, era)
  }
  // Whether it worked is told with everything else below.
  if (operation === 'reconnect') await keeper.retry().catch(() => undefined)
  const status = describe(keeper)
  return toResult({ content: [{ type: 'text', text: toText(status) }], structuredContent: status }, era)
}

interface Status {
  readonly hub: 'away' | 'starting' | 'running'
  readonly since: string
  readonly error?: string
  readonly nextStep: string
}

function describe({ hub, absence, lostAt }: HubSupervisor): Status {
  const since = lostAt.toISOString()
  if (hub !== null) return { hub: 'running', since: new Date().toISOString(), nextStep: 'List the tools again.' }
  if (absence === null) return { hub: 'starting', since, nextStep: 'Wait a moment, then ask again.' }
  const nextStep = 'Do what the error says, or run: herma up. Then call this tool with the operation reconnect.'
  return { hub: 'away', since, error: absence.error.message, nextStep }
}

function toText({ hub, since, error, nextStep }: Status): string {
  if (hub === 'running') return `The hub is running. ${nextStep}`
  if (hub === 'starting') return `The hub is being looked for or started since ${since}. ${nextStep}`
  return `The hub is away since ${since}. Last error: ${error} Next step: ${nextStep}`
}

function toResult(result: object, era: Era): Record<string, unknown> {
  return era === 'modern' ? { resultType: 'complete', ...result } : { ...result }
}
