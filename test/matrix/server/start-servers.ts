import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput } from '@herma/contract'
import { build } from 'esbuild'
import { isModern, type Revision } from '../revision.ts'
import type { RunningServer } from './http-messages.ts'
import { serveLegacyHttp } from './serve-legacy-http.ts'
import { serveModernHttp } from './serve-modern-http.ts'
import { serveSse } from './serve-sse.ts'
import { World, type JournalEntry } from './world.ts'

export type ServerTransport = 'http' | 'stdio' | 'sse'

export interface ServerKind {
  readonly revision: Revision
  readonly transport: ServerTransport
}

/** A server that runs, or for stdio one that can be run. */
export interface MatrixServer extends ServerKind {
  readonly name: string
  readonly connector: ConnectorInput
  /** What the server wrote down about this key, in order. */
  journal(key: string): string[]
}

export interface MatrixServers extends AsyncDisposable {
  readonly servers: readonly MatrixServer[]
}

/** Starts one server of each kind; those over HTTP run in this process. */
export async function startServers(kinds: readonly ServerKind[]): Promise<MatrixServers> {
  // The folder is readable for the user that a hub run by root may give its processes to.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'herma-matrix-')))
  await chmod(folder, 0o755)
  const program = join(folder, 'matrix-server.mjs')
  const running: RunningServer[] = []
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    // TypeScript would cost every process half a second.
    if (kinds.some(({ transport }) => transport === 'stdio')) await bundle(program)
    const servers: MatrixServer[] = []
    for (const { revision, transport } of kinds) {
      const name = serverName({ revision, transport })
      const file = join(folder, `${name}.journal`)
      const journal = (key: string) => readJournal(file, key)
      if (transport === 'stdio') {
        const args = [program, revision, name, file]
        servers.push({
          revision,
          transport,
          name,
          journal,
          connector: { name, transport, cmd: process.execPath, args },
        })
        continue
      }
      const world = new World({ revision, name, journal: file })
      const server = await serve(world, transport)
      running.push(server)
      const connector: ConnectorInput = { name, transport: transport === 'sse' ? 'sse' : 'stream', baseUrl: server.url }
      servers.push({ revision, transport, name, journal, connector })
    }
    return { servers, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Short, since it is the prefix of the names that clients see. */
export function serverName({ revision, transport }: ServerKind): string {
  return `${transport}-${revision}`
}

function serve(world: World, transport: 'http' | 'sse'): Promise<RunningServer> {
  if (transport === 'sse') return serveSse(world)
  return isModern(world.revision) ? serveModernHttp(world) : serveLegacyHttp(world)
}

async function bundle(outfile: string): Promise<void> {
  const entry = fileURLToPath(new URL('main.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' })
}

function readJournal(file: string, key: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const entries = lines.map((line) => JSON.parse(line) as JournalEntry)
  return entries.filter((entry) => entry.key === key).map(({ event }) => event)
}
