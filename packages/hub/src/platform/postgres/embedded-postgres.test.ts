import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, readFile, rm, stat, statfs, writeFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { findProcess } from '../process/process-table.ts'
import { isAlive } from '../process/process-tree.ts'
import { openStore } from '../store/store.ts'
import { bundleSource } from '../testing/bundle-source.ts'
import { runSource, watchProcess } from '../testing/source-process.ts'
import { createTemporaryHome, type TemporaryHome } from '../testing/temporary-home.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { greet } from './greet.ts'

const log = createLog('silent')
const isRoot = process.getuid?.() === 0
const nobody = 65_534

// Creating a store takes a second, so the tests that need an existing one share it; each stops its server.
let existing: TemporaryHome
beforeAll(async () => {
  existing = await createTemporaryHome()
  await (await startEmbeddedPostgres({ stateHome: existing.path, log })).stop()
})
afterAll(() => existing.remove())

async function temporaryHome(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

async function start(stateHome: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ stateHome, log })
  onTestFinished(() => server.stop())
  return server
}

async function ask(server: EmbeddedPostgres, query: string): Promise<unknown> {
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    const result = await client.query<{ answer: unknown }>(query)
    return result.rows[0]?.answer
  } finally {
    await client.end()
  }
}

async function killServer(server: EmbeddedPostgres): Promise<void> {
  const pid = server.pid()
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
}

test('a new state home gets a durable server that only its socket reaches', async () => {
  const server = await start(existing.path)
  expect(await ask(server, `select current_setting('data_checksums') as answer`)).toBe('on')
  expect(await ask(server, `select current_setting('fsync') as answer`)).toBe('on')
  expect(await ask(server, `select current_setting('synchronous_commit') as answer`)).toBe('on')
  expect(await ask(server, `select current_setting('listen_addresses') as answer`)).toBe('')
  expect(await ask(server, `select current_setting('server_encoding') as answer`)).toBe('UTF8')
  expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700)
})

test('the server has a process group of its own, so that Ctrl-C does not reach it', async () => {
  const server = await start(existing.path)
  expect(findProcess(server.pid())?.group).toBe(server.pid())
})

test('a server that was left by a killed hub is adopted and stopped at the end', async () => {
  const stateHome = existing.path
  const hub = runSource('write-acknowledged.ts', [stateHome])
  await hub.waitForLine('acknowledged')
  hub.kill('SIGKILL')
  await hub.exited
  const left = Number((await readFile(join(stateHome, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
  const server = await startEmbeddedPostgres({ stateHome, log })
  expect([server.isAdopted, server.pid()]).toEqual([true, left])
  await server.stop()
  expect(isAlive(left)).toBe(false)
})

test('what was acknowledged is there after hub and server were killed together', async () => {
  const stateHome = existing.path
  const hub = runSource('write-acknowledged.ts', [stateHome])
  await hub.waitForLine('acknowledged 50')
  const server = Number((await readFile(join(stateHome, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
  process.kill(server, 'SIGKILL')
  hub.kill('SIGKILL')
  await hub.exited
  const last = Number(hub.lines.at(-1)?.split(' ')[1])
  const restarted = await start(stateHome)
  expect(await ask(restarted, `select count(*)::integer as answer from acknowledged where number <= ${last}`)).toBe(
    last,
  )
})

test('two starts at once end up with one server', async () => {
  const stateHome = existing.path
  const [one, two] = await Promise.all([start(stateHome), start(stateHome)])
  expect(one.pid()).toBe(two.pid())
  expect([one.isAdopted, two.isAdopted].toSorted()).toEqual([false, true])
})

test('a server that is just shutting down is waited for', async () => {
  const stateHome = existing.path
  const first = await startEmbeddedPostgres({ stateHome, log })
  onTestFinished(() => first.stop())
  const { host, port } = first.connection
  const client = new pg.Client(first.connection)
  await client.connect()
  // A smart shutdown takes as long as somebody is connected.
  process.kill(first.pid(), 'SIGTERM')
  await expect.poll(() => greet(host, port)).toBe('passing')
  const second = startEmbeddedPostgres({ stateHome, log })
  await sleep(100)
  await client.end()
  onTestFinished(async () => (await second).stop())
  expect(await ask(await second, 'select 1 as answer')).toBe(1)
})

test('a pid file whose process is gone does not stop a start', async () => {
  const stateHome = existing.path
  const killed = await startEmbeddedPostgres({ stateHome, log })
  onTestFinished(() => killed.stop())
  await killServer(killed)
  const server = await start(stateHome)
  expect(await ask(server, 'select 1 as answer')).toBe(1)
})

test('a pid file whose number another program got does not stop a start', async () => {
  const stateHome = existing.path
  // The server takes the file seriously only when the process belongs to its own user.
  const other = spawn('sleep', ['600'], { stdio: 'ignore', ...(isRoot ? { uid: nobody, gid: nobody } : {}) })
  onTestFinished(() => void other.kill('SIGKILL'))
  await once(other, 'spawn')
  const data = join(stateHome, 'postgres/data')
  await writeFile(
    join(data, 'postmaster.pid'),
    `${other.pid}\n${data}\n1700000000\n5432\n${join(stateHome, 'postgres')}\n\n  12345  67890\nready   \n`,
  )
  const server = await start(stateHome)
  expect(server.isAdopted).toBe(false)
  expect(await ask(server, 'select 1 as answer')).toBe(1)
  expect(isAlive(other.pid ?? 0)).toBe(true)
})

test('a server that crashes is started again and the pool finds it', async () => {
  const stateHome = existing.path
  const store = await openStore({ stateHome, log })
  onTestFinished(() => store.stop())
  const pid = Number((await readFile(join(stateHome, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  await expect.poll(() => store.isHealthy(), { timeout: 20_000, interval: 200 }).toBe(true)
})

test('a server that runs and does not answer is started again, and what was written is there', async () => {
  const server = await startEmbeddedPostgres({ stateHome: existing.path, log, silenceLimitMs: 1000 })
  onTestFinished(() => server.stop())
  await ask(server, 'create table kept_through_silence as select 1 as answer')
  const pid = server.pid()
  const told: string[] = []
  server.restarted.listen((why) => told.push(why))
  process.kill(pid, 'SIGSTOP')
  await expect.poll(() => told.length, { timeout: 40_000, interval: 100 }).toBe(1)
  expect(told[0]).toMatch(/^It runs and did not answer for \d+ s\.$/)
  expect([isAlive(pid), server.pid() === pid]).toEqual([false, false])
  expect(await ask(server, 'select answer from kept_through_silence')).toBe(1)
  await ask(server, 'drop table kept_through_silence')
})

test('a running server whose socket was deleted is restarted', async () => {
  const stateHome = existing.path
  const first = await startEmbeddedPostgres({ stateHome, log })
  onTestFinished(() => first.stop())
  await rm(join(first.connection.host, '.s.PGSQL.5432'))
  const second = await start(stateHome)
  expect(second.isAdopted).toBe(false)
  expect(await ask(second, 'select 1 as answer')).toBe(1)
})

test('a state home whose path is too long for a socket still works', async () => {
  const stateHome = join(await temporaryHome(), 'a'.repeat(60), 'ü, b'.repeat(15))
  await mkdir(stateHome, { recursive: true })
  const server = await start(stateHome)
  expect(server.connection.host).not.toContain(stateHome)
  expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700)
  expect(await ask(server, 'select 1 as answer')).toBe(1)
  await server.stop()
  await rm(server.connection.host, { recursive: true })
})

test('an interrupted initialisation is thrown away', async () => {
  const stateHome = await temporaryHome()
  await mkdir(join(stateHome, 'postgres/data.new-0000'), { recursive: true })
  await writeFile(join(stateHome, 'postgres/data.new-0000/PG_VERSION'), '18\n')
  const server = await start(stateHome)
  expect(await ask(server, 'select 1 as answer')).toBe(1)
  expect((await readdir(join(stateHome, 'postgres'))).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

test('data of another PostgreSQL version is refused by name', async () => {
  const stateHome = await temporaryHome()
  await mkdir(join(stateHome, 'postgres/data'), { recursive: true })
  await writeFile(join(stateHome, 'postgres/data/PG_VERSION'), '12\n')
  await expect(startEmbeddedPostgres({ stateHome, log })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/written by PostgreSQL 12.*DATABASE_URL/s),
  })
})

test('a server that does not start says why, with the lines of its log', async () => {
  const stateHome = existing.path
  const settings = { shared_preload_libraries: 'no_such_library' }
  await expect(startEmbeddedPostgres({ stateHome, log, settings })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/did not start.*could not access file "no_such_library"/s),
  })
})

test('root runs the server as nobody, and a folder that nobody cannot enter is named', async (context) => {
  if (!isRoot) return context.skip('This part of the store runs only as root.')
  const stateHome = join(await temporaryHome(), 'closed', 'state')
  const server = await start(existing.path)
  expect((await stat(server.dataDirectory)).uid).toBe(nobody)
  await mkdir(stateHome, { recursive: true })
  await chmod(join(stateHome, '..'), 0o700)
  await expect(startEmbeddedPostgres({ stateHome, log })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(`cannot enter ${join(stateHome, '..')}.`),
  })
})

test('a user who is not root runs the server as himself', async (context) => {
  const stateHome = await temporaryHome()
  const uid = isRoot ? nobody : (process.getuid?.() ?? 0)
  if (isRoot) await chown(stateHome, nobody, nobody)
  const child = runSource('use-store.ts', [stateHome], isRoot ? { uid: nobody, gid: nobody } : {})
  const code = await child.exited
  if (/EACCES|ERR_MODULE_NOT_FOUND/.test(child.errorText()) && isRoot) {
    return context.skip('The repository lies in a folder that only root may read.')
  }
  expect([code, child.errorText()]).toEqual([0, ''])
  expect(JSON.parse(child.lines[0] ?? '')).toEqual({ isHealthy: true, dataOwner: uid })
})

test('an empty lock file that a crash left does not keep the store from starting', async () => {
  const stateHome = await temporaryHome()
  await (await openStore({ stateHome, log })).stop()
  const path = join(stateHome, 'postgres', 'data', 'postmaster.pid')
  await writeFile(path, '')
  await utimes(path, new Date(0), new Date(0))
  const store = await openStore({ stateHome, log })
  expect(await store.isHealthy()).toBe(true)
  await store.stop()
})

test('a file that cannot grow any more is reported as a full disk', async () => {
  const stateHome = await temporaryHome()
  const program = bundleSource(fileURLToPath(new URL('../testing/use-store.ts', import.meta.url)))
  const node = [process.execPath, program, stateHome]
  const cwd = new URL('../../../', import.meta.url)
  // Works everywhere, unlike a file system of a chosen size.
  const child = spawn('/bin/sh', ['-c', 'ulimit -f 4000; exec "$@"', 'sh', ...node], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const result = watchProcess(child)
  expect(await result.exited).toBe(1)
  expect(result.errorText()).toMatch(/could not be (?:created|copied).*The disk is full: free some space/s)
  // Where the package must be copied first, that is what fails, before there is a folder.
  expect(await readdir(join(stateHome, 'postgres')).catch(() => [])).toEqual([])
})

test('a full disk is named when the store is created, and when it starts; space brings it back', async (context) => {
  if (!isRoot || process.platform !== 'linux') return context.skip('Only root on Linux may mount a small disk.')
  const stateHome = await temporaryHome()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=0711', 'tmpfs', stateHome], { stdio: 'pipe' })
  } catch {
    return context.skip('This container does not allow mounting a small disk.')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', stateHome]))
  const full = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('The disk is full') }
  await expect(openStore({ stateHome, log })).rejects.toMatchObject(full)

  execFileSync('mount', ['-o', 'remount,size=300m', stateHome])
  await (await openStore({ stateHome, log })).stop()

  await fillDisk(stateHome)
  await expect(openStore({ stateHome, log })).rejects.toMatchObject(full)

  await rm(join(stateHome, 'filling'))
  const store = await openStore({ stateHome, log })
  expect(await store.isHealthy()).toBe(true)
  await store.stop()
})

async function fillDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  await writeFile(join(folder, 'filling'), Buffer.alloc(bavail * bsize))
}
