import type { ConnectorView } from '@herma/contract'
import { count } from '../../ui/format.ts'
import type { ConnectorsSearch } from '../connector-search.ts'
import { describeHealth } from '../describe-health.ts'

/** Those that match, the ones that need attention first, then by name. */
export function filterConnectors(
  connectors: readonly ConnectorView[],
  { filter = '', state }: { filter?: string; state?: ConnectorsSearch['state'] | undefined },
): ConnectorView[] {
  const words = filter.toLowerCase().split(/\s+/)
  return connectors
    .filter(
      (view) => (state === undefined || stateOf(view) === state) && words.every((word) => textOf(view).includes(word)),
    )
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
}

function stateOf(view: ConnectorView): ConnectorsSearch['state'] {
  if (describeHealth(view).needsAttention) return 'problem'
  if (!view.enabled) return 'off'
  return view.health.state === 'idle' ? 'idle' : 'ready'
}

function rank(view: ConnectorView): number {
  const { needsAttention, tone } = describeHealth(view)
  return needsAttention ? (tone === 'bad' ? 0 : 1) : 2
}

function textOf(view: ConnectorView): string {
  const { name, description, transport, baseUrl, cmd, args } = view
  return [name, description, transport, baseUrl, cmd, ...args, describeHealth(view).text].join(' ').toLowerCase()
}

/** 2 need attention, 3 are ready. */
export function summarizeConnectors(connectors: readonly ConnectorView[]): string {
  if (connectors.length === 0) return 'Servers whose tools you use through Herma.'
  const of = (state: ConnectorsSearch['state']) => connectors.filter((view) => stateOf(view) === state).length
  const parts = [
    [of('problem'), 'needs attention', 'need attention'],
    [of('ready'), 'is ready', 'are ready'],
    [of('idle'), 'is idle', 'are idle'],
    [of('off'), 'is turned off', 'are turned off'],
  ] as const
  const said = parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number} ${number === 1 ? one : many}`)
  return `${count(connectors.length, 'connector')}: ${said.join(', ')}.`
}
