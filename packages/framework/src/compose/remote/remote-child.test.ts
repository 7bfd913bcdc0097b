import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { server, type App } from '../../server/app.ts'
import { connectClient } from '../../server/testing/connect-client.ts'
import { remote, type RemoteCommand, type RemoteOptions } from './remote.ts'

const modules = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/package.json')))
const everything = join(modules, 'dist/index.js')
const memory = join(modules, '../server-memory/dist/index.js')

async function mounted(command: RemoteCommand, options: RemoteOptions = {}) {
  const provider = remote(command, { firstRetryMs: 20, ...options })
  const app = server({ name: 'front', version: '1.0.0' })
    .mount(provider)
    .tool('near', {}, () => 'near') as App
  return { app, provider, [Symbol.asyncDispose]: async () => provider.stop?.() }
}

async function temporary() {
  const path = await mkdtemp(join(tmpdir(), 'herma-remote-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A process that ended may stay in the table until its parent asks, which does not count as living. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

/** Starts a program through a shell, which stays its parent, and writes both process ids into a file. */
function throughShell(file: string, script: string, ...args: string[]): RemoteCommand {
  const start = `"${process.execPath}" "${script}" ${args.join(' ')} <&3 &`
  return { command: 'sh', args: ['-c', `exec 3<&0; echo $$ > "${file}"; ${start} echo $! >> "${file}"; wait`] }
}

describe('a child process', () => {
  test('is a real server of the npm registry, with its tools, resources, prompts and questions', async () => {
    await using front = await mounted({ command: process.execPath, args: [everything, 'stdio'] })
    await using session = await connectClient(front.app, 'legacy', {
      capabilities: { sampling: {}, elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler('sampling/createMessage', () => {
          return { role: 'assistant', model: 'test', content: { type: 'text', text: 'sampled by the caller' } }
        }),
    })
    const { client } = session
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['near', 'echo', 'get-sum', 'trigger-sampling-request']))
    const echoed = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    expect(echoed.content).toMatchObject([{ text: 'Echo: hi' }])
    const asked = await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'x', maxTokens: 5 } })
    expect(JSON.stringify(asked.content)).toContain('sampled by the caller')
    const progress: number[] = []
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }
    await client.callTool(long, { onprogress: (params) => progress.push(params.progress) })
    expect(progress).toEqual([1, 2])
    const { resources } = await client.listResources()
    const read = await client.readResource({ uri: resources[0]!.uri })
    expect(read.contents).toHaveLength(1)
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0)
  })

  test('is spoken to in the modern era when it knows it', async () => {
    const script = fileURLToPath(new URL('../testing/far-server.ts', import.meta.url))
    await using front = await mounted({ command: process.execPath, args: ['--import', 'tsx', script] })
    await using session = await connectClient(front.app, 'legacy', {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } })),
    })
    expect((await session.client.callTool({ name: 'era' })).content).toMatchObject([{ text: 'modern' }])
    expect((await session.client.callTool({ name: 'ask' })).content).toMatchObject([{ text: 'Ada' }])
  })

  test('begins again after it was killed, and clients are told both times', async () => {
    await using folder = await temporary()
    const pidFile = join(folder.path, 'pid')
    const script = join(folder.path, 'start.mjs')
    const write = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(pidFile)}, String(process.pid))\n`
    await writeFile(script, `${write}await import(${JSON.stringify(memory)})\n`)
    const env = { MEMORY_FILE_PATH: join(folder.path, 'memory.json') }
    await using front = await mounted({ command: process.execPath, args: [script], env }, { name: 'memory' })
    const changed = vi.fn<(...args: unknown[]) => void>()
    front.provider.onChange?.(changed)
    await using session = await connectClient(front.app, 'legacy')
    const list = async () => (await session.client.listTools()).tools.map(({ name }) => name)

    expect(await list()).toContain('read_graph')
    const pid = Number(await readFile(pidFile, 'utf8'))
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith('tool'))
    expect(await session.client.callTool({ name: 'near' })).toMatchObject({ content: [{ text: 'near' }] })
    await vi.waitFor(async () => expect(await list()).toContain('read_graph'), { timeout: 10_000 })
    expect(Number(await readFile(pidFile, 'utf8'))).not.toBe(pid)
    const graph = await session.client.callTool({ name: 'read_graph', arguments: {} })
    expect(graph.isError).not.toBe(true)
  })

  test('is gone after stop, with everything that it started, until it is needed again', async () => {
    await using folder = await temporary()
    const pidFile = join(folder.path, 'pids')
    await using front = await mounted(throughShell(pidFile, everything, 'stdio'))
    await using session = await connectClient(front.app, 'legacy')
    expect((await session.client.listTools()).tools.length).toBeGreaterThan(1)
    const pids = (await readFile(pidFile, 'utf8')).trim().split('\n').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    await front.provider.stop?.()
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]))

    const again = await session.client.callTool({ name: 'echo', arguments: { message: 'again' } })
    expect(again.content).toMatchObject([{ text: 'Echo: again' }])
  })

  test('that ignores every request to end is forced', async () => {
    await using folder = await temporary()
    const pidFile = join(folder.path, 'pid')
    const script = join(folder.path, 'stubborn.mjs')
    const lines = [
      `import { writeFileSync } from 'node:fs'`,
      `process.on('SIGTERM', () => {})`,
      `setInterval(() => {}, 1000)`,
      `writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))`,
    ]
    await writeFile(script, lines.join('\n'))
    await using front = await mounted({ command: process.execPath, args: [script] }, { connectTimeoutMs: 200 })
    await using session = await connectClient(front.app, 'legacy')
    expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual(['near'])
    await front.provider.stop?.()
    expect(isAlive(Number(await readFile(pidFile, 'utf8')))).toBe(false)
  }, 20_000)

  test('that does not exist leaves the others serving', async () => {
    await using front = await mounted({ command: '/nowhere/at/all' })
    await using session = await connectClient(front.app, 'legacy')
    expect((await session.client.listTools()).tools.map(({ name }) => name)).toEqual(['near'])
  })
})
