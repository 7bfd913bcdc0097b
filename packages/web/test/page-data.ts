import type { ConnectorView, DownstreamHealth, HubStatus } from '@herma/contract'
import type { HubData } from '../src/hub/use-hub.ts'

const at = '2026-11-15T12:00:00.000Z'

const status: HubStatus = {
  version: '0.1.0',
  processId: 4711,
  startedAt: at,
  endpoint: 'http://127.0.0.1:4376/mcp',
  ui: 'http://127.0.0.1:4376/',
  stateHome: '/var/lib/herma',
  store: { kind: 'embedded', healthy: true },
  connections: 0,
  inFlight: 0,
  parked: 0,
  rssBytes: 90_000_000,
  counts: { connectors: 0, ready: 0, failed: 0, tools: 0, resources: 0, resourceTemplates: 0, prompts: 0 },
  collisions: [],
}

export const emptyHub: HubData = { status, connectors: [] }

/** One connector in each state, with the longest texts that a narrow page has to hold. */
export const troubledHub: HubData = {
  status: {
    ...status,
    connections: 3,
    inFlight: 1,
    counts: { ...status.counts, connectors: 8, ready: 3, failed: 2, tools: 88, prompts: 4 },
    collisions: [
      { kind: 'tool', wanted: 'read_file', winner: 'team-files', loser: 'old-files', exposedAs: 'read_file_2' },
    ],
  },
  connectors: [
    connector('team-files', { state: 'ready', callCount: 1284, latencyMs: 4.21 }, { tools: 14, resources: 120 }),
    connector('git-tools', { state: 'ready', callCount: 90, latencyMs: 88.4 }, { tools: 12, prompts: 4 }),
    connector('warehouse', { state: 'failed', lastError: { at, message: '401: the token expired' } }, { tools: 9 }),
    connector('issue-tracker', {
      state: 'backoff',
      retryAt: at,
      lastError: { at, message: "'uvx' is not on the PATH of the hub: install it, or give the whole path" },
    }),
    connector('browser', { state: 'starting' }),
    connector('a'.repeat(40), { state: 'ready' }),
    connector('wiki', { state: 'disabled' }),
    {
      ...connector('a-connector-with-the-longest-legal-name-1', { state: 'idle' }),
      problem: 'Its secrets cannot be opened with the key in /var/lib/herma/key. Restore the key, or enter them again.',
    },
  ],
}

function connector(
  name: string,
  health: Partial<DownstreamHealth>,
  counts: Partial<ConnectorView['counts']> = {},
): ConnectorView {
  return {
    id: name,
    name,
    description: '',
    kind: 'client',
    enabled: health.state !== 'disabled',
    transport: name === 'warehouse' ? 'stream' : 'stdio',
    baseUrl: null,
    endpointPath: null,
    headers: [],
    cmd: 'uvx',
    args: [],
    env: [],
    workingDir: null,
    oauth: null,
    signIn: null,
    warnings: [],
    options: {
      listed: true,
      era: 'auto',
      start: 'use',
      isolation: 'shared',
      pinning: 'warn',
      credentials: 'shared',
      handshakeTimeoutMs: 30_000,
      requestTimeoutMs: 120_000,
      maxRequestMs: 3_600_000,
      idleTimeoutMs: 600_000,
      maxRestarts: 5,
      maxConcurrency: 256,
      maxMessageBytes: 16_777_216,
    },
    notes: '',
    createdAt: at,
    updatedAt: at,
    problem: null,
    counts: { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0, ...counts },
    health: {
      state: 'idle',
      era: null,
      revision: null,
      serverInfo: null,
      processId: null,
      inFlight: 0,
      callCount: 0,
      errorCount: 0,
      restartCount: 0,
      latencyMs: null,
      lastError: null,
      lastHandshakeAt: null,
      retryAt: null,
      ...health,
    },
  }
}
