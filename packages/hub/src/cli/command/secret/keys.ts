import type { SecretKeysView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { formatFields, formatTable } from '../../format-table.ts'

export function keysCommand(cli: Cli): Command {
  return new Command('keys').description('show the keys that seal secrets: names and times').action(async () => {
    const hub = await connectHub(cli)
    const keys = await hub.send<SecretKeysView>('GET', '/api/secret-keys')
    cli.terminal.answer(keys, () => describeKeys(cli, keys))
  })
}

const sources = { home: 'the state home', file: 'HERMA_KEY_FILE', command: 'HERMA_KEY_COMMAND' }

export function describeKeys({ terminal }: Cli, { master, dataKeys, unopened }: SecretKeysView): string {
  const since = (time: string | null) => (time === null ? '' : ` since ${time}`)
  const fields: [string, string][] = [
    ['Master key', `${master.id}${since(master.since)}, from ${sources[master.source]}`],
  ]
  if (master.next !== null) fields.push(['Waiting', `${master.next.id}${since(master.next.since)}`])
  if (unopened > 0) fields.push(['Not opening', `${count(unopened, 'value')}: enter them again, or put back their key`])
  const rows = dataKeys.map(({ id, state, createdAt, retiredAt }) => [id, state, createdAt, retiredAt ?? '-'])
  const table = formatTable([['DATA KEY', 'STATE', 'CREATED', 'RETIRED'], ...rows], terminal.columns)
  return `${formatFields(fields)}\n\n${table}`
}
