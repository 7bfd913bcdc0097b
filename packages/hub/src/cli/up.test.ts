import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { bundleSource } from '../platform/testing/bundle-source.ts'
import { captureTerminal } from './capture-terminal.ts'
import { runCli } from './run-cli.ts'

const entry = fileURLToPath(new URL('./herma.ts', import.meta.url))

// Each test starts a database of its own.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
let env: NodeJS.ProcessEnv
let children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-up-'))
  // As root the database runs under another user, who must get into the folder.
  await chmod(folder, 0o755)
  env = { HERMA_CONFIG_HOME: join(folder, 'config'), HERMA_STATE_HOME: join(folder, 'state') }
})

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('close', resolve))
    }
  }
  children = []
  await rm(folder, { recursive: true, force: true })
})

/** Starts `herma up` as a process of its own and waits for what it prints. */
async function startUp() {
  const child = spawn(process.execPath, [bundleSource(entry), 'up', '--listen', '127.0.0.1:0'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const written = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.error += text))
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  await expect.poll(() => written.out, { timeout: 60_000 }).toContain('Stop with Ctrl-C')
  return { child, written, exit }
}

async function herma(...words: string[]) {
  const { terminal, written } = captureTerminal({ env })
  const exitCode = await runCli(words, terminal)
  return { exitCode, ...written }
}

test('up says where it listens and how clients connect, and stop ends it with nothing left behind', async () => {
  const { written, exit } = await startUp()
  const endpoint = /Endpoint +(http:\/\/127\.0\.0\.1:\d+\/mcp)/.exec(written.out)?.[1]
  expect(written.out).toContain(`claude mcp add --transport http herma ${endpoint}`)
  expect(written.out).toContain(`url = "${endpoint}"`)
  expect((await herma('status')).out).toContain(endpoint)
  expect(await herma('stop')).toMatchObject({ exitCode: 0, out: 'Herma has stopped.\n' })
  expect(await exit).toBe(0)
  expect(existsSync(join(folder, 'state', 'hub.json'))).toBe(false)
  expect((await herma('status')).exitCode).toBe(3)
})

test('a signal ends it cleanly, and a second hub on the same state home is refused', async () => {
  const { child, exit } = await startUp()
  const second = await herma('up', '--listen', '127.0.0.1:0', '--log-level', 'silent')
  expect(second.exitCode).toBe(1)
  expect(second.error).toContain('herma s')
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

test('a port in use is named together with the next step', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const { exitCode, error } = await herma('up', '--listen', `127.0.0.1:${port}`, '--log-level', 'silent')
  await new Promise((resolve) => taken.close(resolve))
  expect(exitCode).toBe(1)
  expect(error).toContain(`Port ${port} on 127.0.0.1 is in use`)
  expect(error).toContain('herma up --listen')
})
