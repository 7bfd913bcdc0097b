import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../../conformance/runner/child.ts'
import type { Defer } from '../../conformance/runner/cleanup.ts'

interface ServerCommand {
  readonly url: (port: number) => string
  readonly command: (port: number) => readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

const listenTimeoutMs = 30_000

/** Starts a server over HTTP on a free port; returns its URL when it answers there. */
export async function startServer({ url: urlAt, command, env }: ServerCommand, defer: Defer): Promise<string> {
  const port = await findFreePort()
  const [program, ...args] = command(port)
  const child = startChild(program, args, {
    env: { PATH: process.env['PATH'], PORT: String(port), ...env },
    stopTimeoutMs: 2000,
  })
  defer(() => child.stop())
  const url = urlAt(port)
  const deadline = Date.now() + listenTimeoutMs
  while (child.isRunning() && Date.now() < deadline) {
    // Any answer will do, and a refused connection means not yet.
    if (await fetch(url, { method: 'HEAD' }).catch(() => undefined)) return url
    await sleep(50)
  }
  throw new Error(`${program} does not listen at ${url}. Its last lines:\n${child.lastLines()}`)
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
