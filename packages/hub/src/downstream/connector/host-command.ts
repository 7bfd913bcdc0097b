import { isDeepStrictEqual } from 'node:util'
import { impliedImage, type Connector, type ConnectorOptions, type ContainerIsolation } from '@herma/contract'
import type { HostPolicy } from '../../platform/process/host-policy.ts'

/** Throws OWNER_ONLY when who is acting may not choose what a connector runs. What runs already may stay as it is. */
export function requireHostCommand(policy: HostPolicy | undefined, connector: Connector, before?: Connector): void {
  if (policy === undefined || connector.transport !== 'stdio') return
  if (before !== undefined && isDeepStrictEqual(whatRuns(before), whatRuns(connector))) return
  const what = `The connector '${connector.name}'`
  if (connector.isolation?.type === 'container') return requireContainer(policy, what, connector, connector.isolation)
  const { isolation } = connector
  if (isolation?.type === 'none' || isolation?.user !== undefined)
    policy.requireOwner(`${what} is isolated less, or as another user, which`)
  policy.requireCommand(what, {
    command: connector.cmd ?? '',
    args: connector.args,
    env: connector.env.map(({ name }) => name),
    folder: connector.workingDir ?? null,
  })
}

/** In a container of a listed image any command may run: it sees nothing of the host but the folders that are listed too. */
function requireContainer(policy: HostPolicy, what: string, { cmd = '' }: Connector, isolation: ContainerIsolation) {
  const { image, mounts, network } = isolation
  policy.requireImage(what, image ?? impliedImage(cmd) ?? '')
  policy.requireFolders(
    what,
    mounts.map(({ source }) => source),
  )
  if (!openNetworks.has(network)) policy.requireOwner(`${what} uses the network '${network}', which`)
}

/** None at all, and that which leads out of the machine; others are made for something, which an owner knows. */
const openNetworks: ReadonlySet<string> = new Set(['none', 'bridge', 'podman'])

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
  'listRefreshMs',
  'maxListEntries',
  'maxListBytes',
  'maxDescriptorBytes',
  'maxEventsPerMinute',
])
