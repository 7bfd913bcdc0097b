import type { HubStatus } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { count, formatBytes, formatDuration } from '../format-quantity.ts'
import { formatFields } from '../format-table.ts'

export function statusCommand(cli: Cli): Command {
  return new Command('status').description('show how the hub is doing').action(async () => {
    const hub = await connectHub(cli)
    const status = await hub.send<HubStatus>('GET', '/api/status')
    cli.terminal.answer(status, () => describeStatus(status))
  })
}

function describeStatus(status: HubStatus): string {
  const { counts, store, collisions } = status
  const uptime = formatDuration(Date.now() - Date.parse(status.startedAt))
  const offers = [
    count(counts.tools, 'tool'),
    count(counts.resources, 'resource'),
    count(counts.resourceTemplates, 'resource template'),
    count(counts.prompts, 'prompt'),
  ]
  return formatFields([
    ['Herma', `${status.version}, process ${status.processId}, running for ${uptime}`],
    ['Endpoint', status.endpoint],
    ['UI', status.ui],
    ['State home', status.stateHome],
    ['Store', `${store.kind}, ${store.healthy ? 'healthy' : 'not reachable'}`],
    ['Connectors', `${counts.connectors}, ${counts.ready} ready, ${counts.failed} failed`],
    ['Offers', offers.join(', ')],
    ['Connections', `${status.connections}, ${count(status.inFlight, 'call')} under way`],
    ['Memory', formatBytes(status.rssBytes)],
    ...(collisions.length === 0 ? [] : [['Collisions', `${collisions.length}, see herma tools`] as [string, string]]),
  ])
}
