import { connect } from 'node:net'
import { startProcess, type StartedProcess } from '../machine/start-process.ts'
import type { Launch } from './launch.ts'

export interface HttpServer {
  url: string
  started: StartedProcess
}

const LIMIT_MS = 30_000
const POLL_MS = 20

/** Starts a program that listens, and waits until it does; one that does not come up leaves nothing behind. */
export async function startHttp(launch: Launch, cwd: string, nodeOptions: string[] = []): Promise<HttpServer> {
  const { name, args, env, url } = launch
  if (url === undefined) throw new Error(`${name} has no address to listen at`)
  const started = startProcess({ name, command: process.execPath, args: [...nodeOptions, ...args], env, cwd })
  try {
    await Promise.race([waitForPort(Number(new URL(url).port)), started.failed])
  } catch (error) {
    await started.stop()
    throw error
  }
  return { url, started }
}

async function waitForPort(port: number): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; performance.now() < until;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`nobody listens at port ${port} after ${LIMIT_MS / 1000} s`)
}
