import { createServer } from 'node:net'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createLog } from '../log.ts'
import { startEmbeddedPostgres } from '../postgres/index.ts'
import { openStore, type Store } from '../store/store.ts'
import { prepareState } from './prepare-state.ts'
import { createTemporaryHome } from './temporary-home.ts'

export interface TestStore {
  readonly store: Store
  readonly stateHome: string
  /** Undefined for the embedded store. */
  readonly databaseUrl: string | undefined
  /** Opens the same store once more, after `store.stop()` when it is embedded. */
  reopen(): Promise<Store>
  /** Stops everything that this opened and removes its files. */
  close(): Promise<void>
}

export const storeKinds = ['embedded', 'external'] as const

const log = createLog('silent')

/** A fresh, empty store; the external one is a second server that is reached over TCP with a password. */
export async function openTestStore(kind: Store['kind'] = 'embedded'): Promise<TestStore> {
  const home = await createTemporaryHome()
  const server = kind === 'external' ? await startTcpServer() : undefined
  if (server === undefined) await prepareState(home.path)
  const opened: Store[] = []
  const reopen = async () => {
    const store = await openStore({ stateHome: home.path, databaseUrl: server?.databaseUrl, log })
    opened.push(store)
    return store
  }
  return {
    store: await reopen(),
    stateHome: home.path,
    databaseUrl: server?.databaseUrl,
    reopen,
    async close() {
      for (const store of opened) await store.stop()
      await server?.stop()
      await home.remove()
    },
  }
}

export interface TcpServer {
  readonly databaseUrl: string
  /** Runs one statement as a superuser. */
  administer(statement: string): Promise<void>
  /** The id of its process; another one after `goOn`. */
  pid(): number
  /** Ends it as its administrator would; what was written stays. */
  pause(): Promise<void>
  /** Starts it again, on the same port. */
  goOn(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** PostgreSQL as an administrator would run it: over TCP, with a password and a user that is no superuser. */
export async function startTcpServer(own: Readonly<Record<string, string>> = {}): Promise<TcpServer> {
  const home = await createTemporaryHome()
  await prepareState(home.path)
  const port = String(await findFreePort())
  const settings = { listen_addresses: '127.0.0.1', port, ...own }
  const start = () => startEmbeddedPostgres({ stateHome: home.path, log, settings })
  let server = await start()
  const administer = async (...statements: string[]) => {
    const admin = new pg.Client(server.connection)
    await admin.connect()
    for (const statement of statements) await admin.query(statement)
    await admin.end()
  }
  // Ours refuses every host; the first line that matches counts.
  const rules = `local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n`
  await appendFile(join(server.dataDirectory, 'pg_hba_tcp.conf'), rules)
  await administer(
    `create role remote login createdb password 'pass word/1'`,
    'create database remote owner remote',
    `alter system set hba_file = '${join(server.dataDirectory, 'pg_hba_tcp.conf')}'`,
  )
  await server.stop()
  server = await start()
  return {
    databaseUrl: `postgresql://remote:${encodeURIComponent('pass word/1')}@127.0.0.1:${port}/remote`,
    administer,
    pid: () => server.pid(),
    pause: () => server.stop(),
    async goOn() {
      server = await start()
    },
    async stop() {
      await server.stop()
      await home.remove()
    },
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
