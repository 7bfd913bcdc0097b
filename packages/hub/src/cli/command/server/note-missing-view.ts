import type { ServerPatch, View } from '@herma/contract'
import type { Cli } from '../../cli.ts'
import type { HubClient } from '../../hub-client.ts'

/** A view that does not exist shows nothing, which somebody who mistyped its name would look for elsewhere. */
export async function noteMissingView({ terminal }: Cli, hub: HubClient, { view }: ServerPatch): Promise<void> {
  if (view === undefined || view === null) return
  const { views } = await hub.send<{ views: View[] }>('GET', '/api/catalog/views')
  if (views.some(({ name }) => name === view)) return
  const known = views.length === 0 ? 'There are none.' : `There are: ${views.map(({ name }) => name).join(', ')}.`
  terminal.note(`No view is named '${view}' so far, so clients see no tools. ${known}`)
}
