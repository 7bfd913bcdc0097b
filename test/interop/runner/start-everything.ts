import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startChild } from '../../conformance/runner/child.ts'
import type { Defer } from '../../conformance/runner/cleanup.ts'

const listenTimeoutMs = 20_000

/** Starts server-everything over Streamable HTTP; returns its URL. */
export async function startEverything(defer: Defer): Promise<string> {
  const port = await findFreePort()
  const child = startChild(process.execPath, [serverProgram('everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stopTimeoutMs: 2000,
  })
  defer(() => child.stop())
  const url = `http://127.0.0.1:${port}/mcp`
  const deadline = Date.now() + listenTimeoutMs
  while (child.isRunning() && Date.now() < deadline) {
    // Any answer will do, and a refused connection means not yet.
    if (await fetch(url, { method: 'HEAD' }).catch(() => undefined)) return url
    await sleep(50)
  }
  throw new Error(`server-everything does not listen at ${url}. Its last lines:\n${child.lastLines()}`)
}

/** Path of the program of an installed MCP server. */
export function serverProgram(name: 'everything' | 'filesystem' | 'memory'): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
