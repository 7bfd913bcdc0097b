import type { PinView } from '@herma/contract'

import { oneLine } from '../../clean-text.ts'
import type { Cli } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import type { HubClient } from '../../hub-client.ts'
import { confirmChange } from './confirm-change.ts'

/** Says that the tools are not expected any more that a server does not offer now. */
export async function dropAbsent(
  cli: Cli,
  hub: HubClient,
  { server, yes }: { server: string; yes: boolean | undefined },
): Promise<void> {
  const query = new URLSearchParams({ server })
  const { pins } = await hub.send<{ pins: PinView[] }>('GET', `/api/catalog/pins?${query.toString()}`)
  const absent = pins.filter(({ isOffered }) => !isOffered).map(({ tool }) => tool)
  if (absent.length === 0) {
    return cli.terminal.answer({ tools: [] }, () => `'${server}' offers every tool that was approved.`)
  }
  if (!cli.terminal.isMachine) cli.terminal.print(`Not offered now: ${nameTools(absent)}`)
  if (!(await confirmChange(cli, yes, `Expect ${count(absent.length, 'tool')} no more?`))) return
  const path = `/api/catalog/pins/${encodeURIComponent(server)}/drop-absent`
  const answer = await hub.send<{ tools: string[] }>('POST', path)
  cli.terminal.answer(answer, () => `Not expected any more: ${nameTools(answer.tools)}`)
}

function nameTools(tools: readonly string[]): string {
  return tools.length === 0 ? 'none' : tools.map(oneLine).join(', ')
}
