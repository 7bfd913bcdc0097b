import { isDeepStrictEqual } from 'node:util'
import type { Connector, ConnectorOptions } from '@herma/contract'
import type { HostPolicy } from '../../platform/process/host-policy.ts'

/** Throws OWNER_ONLY when who is acting may not choose what a connector runs. What runs already may stay as it is. */
export function requireHostCommand(policy: HostPolicy | undefined, connector: Connector, before?: Connector): void {
  if (policy === undefined || connector.transport !== 'stdio') return
  if (before !== undefined && isDeepStrictEqual(whatRuns(before), whatRuns(connector))) return
  policy.requireCommand(`The connector '${connector.name}'`, {
    command: connector.cmd ?? '',
    args: connector.args,
    env: connector.env.map(({ name }) => name),
    folder: connector.workingDir ?? null,
  })
}

/** What says what runs, and how apart from the hub: everything but what is known to say neither. */
function whatRuns(connector: Connector): Record<string, unknown> {
  const { options, env, ...fields } = connector
  const rest = Object.entries(fields).filter(([field]) => !harmlessFields.has(field))
  const left = Object.entries(options).filter(([option]) => !harmlessOptions.has(option))
  const variables = env.map(({ name, value, personal = false }) => ({ name, value, personal }))
  return { ...Object.fromEntries(rest), variables, options: Object.fromEntries(left) }
}

// A field that is new counts until it is named here.
const harmlessFields: ReadonlySet<string> = new Set<keyof Connector>([
  'name',
  'description',
  'kind',
  'enabled',
  'baseUrl',
  'endpointPath',
  'headers',
  'oauth',
  'notes',
])
const harmlessOptions: ReadonlySet<string> = new Set<keyof ConnectorOptions>([
  'prefix',
  'listed',
  'era',
  'start',
  'isolation',
  'credentials',
  'pinning',
  'handshakeTimeoutMs',
  'installTimeoutMs',
  'requestTimeoutMs',
  'maxRequestMs',
  'idleTimeoutMs',
  'maxRestarts',
  'maxConcurrency',
  'maxMessageBytes',
])
