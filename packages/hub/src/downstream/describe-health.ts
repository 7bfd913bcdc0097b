import type { DownstreamHealth } from '@herma/contract'
import { isObject } from '../wire/index.ts'
import type { CallMeter } from './call-meter.ts'
import type { Known } from './descriptor/known.ts'
import type { LinkSupervisor } from './supervision/link-supervisor.ts'

interface HealthOptions {
  readonly supervisors: readonly LinkSupervisor[]
  readonly shared: LinkSupervisor
  readonly known: Known | null
  readonly meter: CallMeter
  readonly inFlight: number
  readonly lastHandshakeAt: Date | null
  readonly leftOut: readonly string[]
}

/** How a downstream is doing, told by the link that says most: the one that was used last. */
export function describeHealth(options: HealthOptions): Omit<DownstreamHealth, 'processes'> {
  const { supervisors, shared, known, meter } = options
  const used = supervisors.filter((supervisor) => supervisor.state !== 'idle')
  const supervisor = used.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)[0] ?? shared
  const handshake = supervisor.link?.handshake ?? known?.handshake ?? null
  const serverInfo = handshake?.serverInfo
  return {
    state: supervisor.state,
    era: handshake?.era ?? null,
    revision: handshake?.revision ?? null,
    transport: handshake?.transport ?? null,
    serverInfo: isObject(serverInfo) ? { name: '', version: '', ...serverInfo } : null,
    processId: supervisor.link?.processId ?? null,
    inFlight: options.inFlight,
    callCount: meter.callCount,
    errorCount: meter.errorCount,
    restartCount: supervisors.reduce((sum, { restartCount }) => sum + restartCount, 0),
    failedStarts: supervisor.failures,
    latencyMs: meter.latencyMs,
    lastError: meter.lastError,
    lastHandshakeAt: options.lastHandshakeAt?.toISOString() ?? null,
    leftOut: [...options.leftOut],
    retryAt: supervisor.retryAt === null ? null : new Date(supervisor.retryAt).toISOString(),
  }
}
