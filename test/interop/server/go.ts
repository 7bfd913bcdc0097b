import type { Programs } from '../runner/programs.ts'
import type { InteropServer } from './interop-server.ts'
import { startServer } from './start-server.ts'
import { attemptToolset } from './toolset.ts'

const tools = ['echo', 'count', 'fail', 'ask', 'sample', 'roots', 'ask_either'] as const

/** A server on the official Go SDK; over HTTP it has connections, and so the older era. */
export async function describeGoServers({ go }: Programs): Promise<InteropServer[]> {
  const { program, version } = await go()
  const file = program('sdk-server')
  const sdk = { title: 'Go SDK', version: await version('github.com/modelcontextprotocol/go-sdk') }
  return [
    {
      ...sdk,
      name: 'go',
      transport: 'stdio',
      eras: 'both',
      connect: async () => ({ transport: 'stdio', cmd: file, args: [] }),
      attempts: (answers) => attemptToolset('go', tools, answers),
    },
    {
      ...sdk,
      name: 'go-http',
      transport: 'HTTP',
      eras: 'legacy',
      async connect({ defer }) {
        const command = (port: number) => [file, `127.0.0.1:${port}`] as const
        const baseUrl = await startServer({ url: (port) => `http://127.0.0.1:${port}/`, command }, defer)
        return { transport: 'stream', baseUrl }
      },
      attempts: (answers) => attemptToolset('go-http', tools, answers),
    },
  ]
}
