import type { ServerView } from '@herma/contract'
import { Command } from 'commander'
import { type Cli, connectHub } from '../../cli.ts'
import { connectorPath } from '../../hub-client.ts'
import { serverPath } from './server-path.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('serve it no more; clients that are connected are cut off')
    .argument('<name>', 'name of the server')
    .option('--with-connector', 'remove the connector that it hosts, too')
    .action(async (name: string, { withConnector = false }: { withConnector?: boolean }) => {
      const hub = await connectHub(cli)
      const { connector } = await hub.send<ServerView>('GET', serverPath(name))
      await hub.send('DELETE', serverPath(name))
      const removed = withConnector ? connector : null
      if (removed !== null) await hub.send('DELETE', connectorPath(removed))
      cli.terminal.answer({ name, removed: true, connector: removed }, () => {
        if (removed !== null) return `Removed '${name}' and the connector '${removed}'.`
        if (connector === null) return `Removed '${name}'.`
        return `Removed '${name}'. Its connector '${connector}' is still there. Remove it: herma remove ${connector}`
      })
    })
}
