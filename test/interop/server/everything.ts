import { fileURLToPath } from 'node:url'
import type { Defer } from '../../conformance/runner/cleanup.ts'
import { startServer } from './start-server.ts'

/** Starts server-everything over Streamable HTTP; returns its URL. */
export async function startEverything(defer: Defer): Promise<string> {
  const command = () => [process.execPath, serverProgram('everything'), 'streamableHttp'] as const
  return startServer({ url: (port) => `http://127.0.0.1:${port}/mcp`, command }, defer)
}

/** Path of the program of an installed MCP server. */
export function serverProgram(name: 'everything' | 'filesystem' | 'memory'): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
}
