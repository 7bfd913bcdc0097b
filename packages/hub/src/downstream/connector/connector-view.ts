import {
  describeContainer,
  type Connector,
  type ConnectorOAuth,
  type ConnectorOAuthView,
  type ConnectorView,
  type DownstreamHealth,
  type IsolationView,
  type NamedValue,
  type NamedValueView,
} from '@herma/contract'
import { isSecretName } from '../../secret/index.ts'
import { localOperator } from '../../wire/index.ts'
import type { ConnectorEntry } from './connectors.ts'
import { connectorWarnings } from './connector-warnings.ts'
import { placeOf } from './secret-times.ts'

/** A connector as it is shown: no secret value leaves the hub. */
export function toView(entry: ConnectorEntry): ConnectorView {
  const { stored, downstream, credentials } = entry
  const { connector } = stored
  const counts = downstream?.descriptors.counts
  return {
    id: stored.id,
    name: connector.name,
    description: connector.description,
    kind: connector.kind,
    enabled: connector.enabled,
    transport: connector.transport,
    baseUrl: connector.baseUrl ?? null,
    endpointPath: connector.endpointPath ?? null,
    headers: connector.headers.map((row) => toValueView(row, stored.changedAt[placeOf('headers', row.name)])),
    cmd: connector.cmd ?? null,
    args: connector.args,
    env: connector.env.map((row) => toValueView(row, stored.changedAt[placeOf('env', row.name)])),
    workingDir: connector.workingDir ?? null,
    isolation: connector.isolation ?? null,
    oauth: connector.oauth === undefined ? null : toOAuthView(connector.oauth),
    signIn: credentials.for(localOperator).authorization?.view() ?? null,
    options: connector.options,
    notes: connector.notes,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
    problem: stored.problem,
    lastTest: stored.lastTest,
    warnings: connectorWarnings(connector),
    counts: {
      tools: counts?.tools ?? 0,
      resources: counts?.resources ?? 0,
      resourceTemplates: counts?.resourceTemplates ?? 0,
      prompts: counts?.prompts ?? 0,
    },
    touches: downstream?.touches() ?? containerView(connector),
    health: downstream?.health() ?? disabledHealth,
  }
}

/** Known of a container without looking at the machine. */
function containerView({ isolation, cmd = '' }: Connector): IsolationView | null {
  return isolation?.type === 'container' ? describeContainer(isolation, cmd) : null
}

function toValueView(entry: NamedValue, changedAt: string | undefined): NamedValueView {
  const secret = entry.secret ?? isSecretName(entry.name)
  return {
    name: entry.name,
    secret,
    stored: secret && entry.value !== undefined,
    ...(changedAt !== undefined && { changedAt }),
    ...(entry.personal === true ? { personal: true } : !secret && { value: entry.value ?? '' }),
  }
}

function toOAuthView({ clientSecret, privateKey, ...oauth }: ConnectorOAuth): ConnectorOAuthView {
  return { ...oauth, hasClientSecret: clientSecret !== undefined, hasPrivateKey: privateKey !== undefined }
}

const disabledHealth: DownstreamHealth = {
  state: 'disabled',
  era: null,
  revision: null,
  transport: null,
  serverInfo: null,
  processId: null,
  processes: [],
  inFlight: 0,
  callCount: 0,
  errorCount: 0,
  restartCount: 0,
  failedStarts: 0,
  latencyMs: null,
  lastError: null,
  lastHandshakeAt: null,
  retryAt: null,
  leftOut: [],
}
