import type { ConnectorOptions, DownstreamProcess } from '@herma/contract'
import { relayedCapabilities, type Capabilities } from '../wire/index.ts'
import type { Distinction } from './supervision/distinction.ts'
import type { GroupedRole } from './supervision/link-groups.ts'
import type { LinkSupervisor } from './supervision/link-supervisor.ts'

interface ProcessFacts {
  readonly isolation: ConnectorOptions['isolation']
  /** Whether each principal has processes of its own. */
  readonly isPersonal: boolean
  readonly distinctions: ReadonlySet<Distinction>
}

/** The processes of a downstream that run, each with the reason for it. */
export function describeProcesses(
  supervisors: readonly LinkSupervisor[],
  roleOf: (supervisor: LinkSupervisor) => GroupedRole,
  facts: ProcessFacts,
): DownstreamProcess[] {
  const running = supervisors.flatMap((supervisor) => {
    const processId = supervisor.link?.processId ?? null
    return processId === null ? [] : [{ processId, inFlight: supervisor.link!.pending.size, role: roleOf(supervisor) }]
  })
  const hasLanes = running.some(({ role }) => role.kind === 'lane' && role.isSpread !== true)
  return running.map(({ role, ...process }) => {
    const reason = role.kind === 'shared' && hasLanes ? lesserReasons[facts.isolation] : reasonFor(role, facts)
    return { ...process, reason: facts.isPersonal ? `${reason}, of ${role.principal}` : reason }
  })
}

function reasonFor(role: GroupedRole, { isolation, distinctions }: ProcessFacts): string {
  if (role.kind === 'connection') return 'for one client (isolation=connection)'
  if (role.kind === 'shared') return sharedReasons[isolation]
  if (role.isSpread === true) return 'for one more client at a time, because the server asks without saying whom'
  if (isolation !== 'shared') return `for clients that can do ${listNames(role.capabilities)} (isolation=${isolation})`
  if (distinctions.has('tools'))
    return `for clients that can do ${listNames(role.capabilities)}, because its tools depend on it`
  return `for clients without ${listMissing(role.capabilities)}, which the server asks for`
}

const sharedReasons: Record<ConnectorOptions['isolation'], string> = {
  shared: 'for all clients',
  kind: 'to read the lists, and for clients that can do everything (isolation=kind)',
  connection: 'to read the lists, and for modern clients (isolation=connection)',
  single: 'for all clients (isolation=single)',
}

/** Where some clients have another one. */
const lesserReasons: typeof sharedReasons = { ...sharedReasons, shared: 'for all other clients' }

function listNames(capabilities: Capabilities): string {
  const names = Object.keys(capabilities)
  return names.length === 0 ? 'nothing' : names.join(', ')
}

/** What the process was not told that its clients can do, as in `sampling, elicitation.url`. */
function listMissing(told: Capabilities): string {
  const missing = Object.entries(relayedCapabilities).flatMap(([name, whole]) => {
    const part = told[name]
    if (part === undefined) return [name]
    const parts = Object.keys(whole as object).filter((key) => (part as Capabilities)[key] === undefined)
    return parts.map((key) => `${name}.${key}`)
  })
  return missing.join(' and ')
}
