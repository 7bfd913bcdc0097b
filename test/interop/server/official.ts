import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ConnectorInput } from '@herma/contract'
import type { Defer } from '../../conformance/runner/cleanup.ts'
import type { Programs, PythonUnit } from '../runner/programs.ts'
import { runProgram } from '../runner/run-program.ts'
import type { InteropServer, ServerPlace } from './interop-server.ts'

interface OfficialServer {
  readonly distribution: string
  /** The options of its command line. */
  options(place: ServerPlace): Promise<string[]>
  readonly tool: string
  arguments(): Record<string, unknown>
  /** What its text must contain. */
  readonly says: string
}

const page = '<html><body><h1>Grüße</h1><p>This page came over the loopback interface.</p></body></html>'
let pageUrl = ''
let repository = ''

const time: OfficialServer = {
  distribution: 'mcp-server-time',
  options: async () => [],
  tool: 'convert_time',
  arguments: () => ({ source_timezone: 'Asia/Tokyo', time: '12:00', target_timezone: 'UTC' }),
  says: '-9.0h',
}
const fetchServer: OfficialServer = {
  distribution: 'mcp-server-fetch',
  async options({ defer }) {
    pageUrl ||= await servePage(defer)
    return ['--ignore-robots-txt', '--allow-private-ips']
  },
  tool: 'fetch',
  arguments: () => ({ url: pageUrl }),
  says: 'This page came over the loopback interface.',
}
const git: OfficialServer = {
  distribution: 'mcp-server-git',
  async options({ folder }) {
    repository ||= await makeRepository(join(folder, 'repository'))
    return ['--repository', repository]
  },
  tool: 'git_log',
  arguments: () => ({ repo_path: repository, max_count: 1 }),
  says: 'Message: The first of all',
}
const sqlite: OfficialServer = {
  distribution: 'mcp-server-sqlite',
  options: async ({ folder }) => ['--db-path', join(folder, 'interop.db')],
  tool: 'read_query',
  arguments: () => ({ query: 'SELECT 1189234567890123457 AS id' }),
  says: "[{'id': 1189234567890123457}]",
}

/** Servers of the MCP project from PyPI, in the versions on both versions of the SDK. */
export async function describeOfficialServers(unit: PythonUnit, { python }: Programs): Promise<InteropServer[]> {
  const { program, version } = await python(unit)
  const servers = unit === 'v1' ? [time, fetchServer, git, sqlite] : [time, fetchServer, git]
  return Promise.all(
    servers.map(async (server): Promise<InteropServer> => {
      const name = server.distribution.replace('mcp-server-', '') + (unit === 'v1' ? '1' : '2')
      return {
        name,
        title: server.distribution,
        version: await version(server.distribution),
        transport: 'stdio',
        eras: unit === 'v1' ? 'legacy' : 'both',
        connect: async (place): Promise<Omit<ConnectorInput, 'name'>> => ({
          transport: 'stdio',
          cmd: program(server.distribution),
          args: await server.options(place),
        }),
        attempts: () => ({
          'a call': [
            {
              request: {
                method: 'tools/call',
                params: { name: `${name}__${server.tool}`, arguments: server.arguments() },
              },
              expected: { result: server.says },
              trim: (result) =>
                JSON.stringify(result).includes(JSON.stringify(server.says).slice(1, -1)) ? server.says : result,
            },
          ],
        }),
      }
    }),
  )
}

async function servePage(defer: Defer): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  defer(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder)
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const person = ['-c', 'user.name=Interop', '-c', 'user.email=interop@example.com']
  for (const args of [
    ['init', '-q'],
    [...person, 'commit', '-q', '--allow-empty', '-m', 'The first of all'],
  ]) {
    const { code, stderr } = await runProgram(['git', ...args], { env, cwd: folder })
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}.\n${stderr}`)
  }
  return folder
}
