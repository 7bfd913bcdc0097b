import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { serverProgram } from './start-test-hub.ts'

export interface EverythingServer extends AsyncDisposable {
  readonly origin: string
}

/** The reference server over HTTP, in a process of its own. */
export async function startEverything(
  transport: 'streamableHttp' | 'sse',
  wantedPort?: number,
): Promise<EverythingServer> {
  const port = wantedPort ?? (await freePort())
  const child = spawn(process.execPath, [serverProgram('everything'), transport], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes(`port ${port}`)) resolve()
    })
    exited.then(() => reject(new Error(`server-everything did not listen on port ${port}.`)), reject)
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
