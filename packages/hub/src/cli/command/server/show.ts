import { connectSnippets, ServerHealth, type ServerView } from '@herma/contract'
import { Command } from 'commander'
import { type Cli, connectHub } from '../../cli.ts'
import type { HubClient } from '../../hub-client.ts'
import { readAnswer, sendRequest } from '../../send-request.ts'
import { describeServer } from './describe-server.ts'
import { serverPath } from './server-path.ts'

const silenceMs = 60_000
const answerLimitBytes = 65_536

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show a server with its health and its addresses')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const server = await hub.send<ServerView>('GET', serverPath(name))
      const health = await readHealth(hub, server)
      cli.terminal.answer(
        { ...server, health },
        () => `${describeServer(server, hub.url, health)}\n\n${describeConnecting(server, hub.url)}`,
      )
    })
}

/** How clients are pointed at this server. */
function describeConnecting({ name, path, access, keyHeader }: ServerView, url: URL): string {
  // A session is served as `session:NAME`, and clients take no colon.
  const own = name === 'facade' ? 'herma' : name.replace(':', '-')
  const key = access === 'required' ? { keyHeader } : {}
  const snippets = connectSnippets(new URL(path, url).href, own, key)
  const parts = snippets.map(({ title, file, text, note }) => {
    const head = `${title}${file === undefined ? '' : `, in ${file}`}:`
    return [head, text, ...(note === undefined ? [] : [note])].join('\n')
  })
  const stdio = `Over stdio:\nherma stdio${name === 'facade' ? '' : ` --server ${name}`}`
  return [...parts, stdio].join('\n\n')
}

/** The same as probes get; of a server that is not well with an error status, which is an answer all the same. */
async function readHealth(hub: HubClient, { healthPath }: ServerView): Promise<ServerHealth> {
  const answer = await sendRequest(new URL(healthPath, hub.url), { method: 'GET', silenceMs })
  return ServerHealth.parse(JSON.parse(await readAnswer(answer, answerLimitBytes)))
}
