import { fileURLToPath } from 'node:url'
import type { PythonPackages, Programs, PythonUnit } from '../runner/programs.ts'
import type { InteropServer } from './interop-server.ts'
import { startServer } from './start-server.ts'
import { attemptToolset } from './toolset.ts'

const v1Tools = ['echo', 'count', 'ask', 'sample', 'roots'] as const
const v2Tools = [...v1Tools, 'fail', 'ask_either', 'sample_either', 'roots_either'] as const
const fastmcpTools = ['echo', 'count', 'ask'] as const

/** With a modern link its SDK refuses, and says so; a client without the hub is told the same. */
const noBackChannel = 'Over HTTP a server cannot ask a client of 2026-07-28 in the middle of a call, hub or not.'
const guard = 'FastMCP 4 knows this for connections of 2026-07-28 only, hub or not.'

/** Servers on the official Python SDK and on FastMCP. */
export async function describePythonServers(unit: PythonUnit, { python }: Programs): Promise<InteropServer[]> {
  const packages = await python(unit)
  const sdk = { title: 'Python SDK', version: await packages.version('mcp') }
  const fastmcp = { title: 'FastMCP', version: await packages.version('fastmcp') }
  if (unit === 'v1') {
    const eras = 'legacy'
    const attempts = (name: string) => ({ attempts: toolset(name, v1Tools) })
    return [
      { ...sdk, ...overStdio('py1', packages, ['python_v1.py', 'sdk']), ...attempts('py1'), eras },
      { ...fastmcp, ...overStdio('fastmcp3', packages, ['python_v1.py', 'fastmcp']), ...attempts('fastmcp3'), eras },
    ]
  }
  const eras = 'both'
  return [
    { ...sdk, ...overStdio('py2', packages, ['python_v2.py']), attempts: toolset('py2', v2Tools), eras },
    {
      ...sdk,
      ...overHttp('py2-http', packages, 'python_v2.py'),
      attempts: toolset('py2-http', v2Tools),
      eras,
      cannot: (era) => (era === 'modern' ? { asks: noBackChannel, samples: noBackChannel, roots: noBackChannel } : {}),
    },
    // Of its stdio connection the hub makes one of the older era, where `ask_either` does not work.
    {
      ...fastmcp,
      ...overStdio('fastmcp4', packages, ['fastmcp_v4.py']),
      attempts: toolset('fastmcp4', fastmcpTools),
      eras,
    },
    {
      ...fastmcp,
      ...overHttp('fastmcp4-http', packages, 'fastmcp_v4.py'),
      attempts: toolset('fastmcp4-http', [...fastmcpTools, 'ask_either']),
      eras,
      cannot: (era) => (era === 'modern' ? { asks: noBackChannel } : { 'asks in either era': guard }),
    },
  ]
}

function toolset(name: string, tools: Parameters<typeof attemptToolset>[1]): InteropServer['attempts'] {
  return (answers) => attemptToolset(name, tools, answers)
}

function overStdio(name: string, { python }: PythonPackages, [file, ...rest]: [string, ...string[]]) {
  const connect: InteropServer['connect'] = async () => ({
    transport: 'stdio',
    cmd: python,
    args: [inFolder(file), ...rest],
  })
  return { name, connect, transport: 'stdio' as const }
}

function overHttp(name: string, { python }: PythonPackages, file: string) {
  const connect: InteropServer['connect'] = async ({ defer }) => {
    const command = (port: number) => [python, inFolder(file), String(port)] as const
    const baseUrl = await startServer({ url: (port) => `http://127.0.0.1:${port}/mcp`, command }, defer)
    return { transport: 'stream', baseUrl }
  }
  return { name, connect, transport: 'HTTP' as const }
}

function inFolder(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
