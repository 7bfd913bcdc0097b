import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '@herma/contract/plain'
import { findBinaries, type PostgresBinaries } from './binaries.ts'
import { explainClusterFailure, explainSpawnError } from '../explain-failure.ts'
import { databaseUser } from '../greet.ts'
import { ensurePrivateFolder } from './private-folder.ts'
import { chooseServerUser, requirePassage, type ServerUser } from './server-user.ts'
import { chooseSocketDirectory } from './socket-directory.ts'

/** Everything that is needed to run the PostgreSQL of one state home. */
export interface Cluster {
  readonly binaries: PostgresBinaries
  /** Undefined = the user of this process. */
  readonly user: ServerUser | undefined
  /** Of all that belongs to the server. */
  readonly folder: string
  readonly dataDirectory: string
  readonly socketDirectory: string
  readonly logPath: string
  readonly settings: Readonly<Record<string, string>>
}

/** Finds the binaries and prepares the folders; creates the data directory on first use. */
export async function prepareCluster(options: {
  stateHome: string
  settings?: Readonly<Record<string, string>> | undefined
}): Promise<Cluster> {
  // The server reports real paths, and ours must compare equal.
  const stateHome = await realpath(options.stateHome)
  const folder = join(stateHome, 'postgres')
  const user = await chooseServerUser(folder)
  if (user) await requirePassage(stateHome, user)
  await ensurePrivateFolder(folder, user)
  const cluster: Cluster = {
    binaries: await findBinaries(stateHome, user),
    user,
    folder,
    dataDirectory: join(folder, 'data'),
    socketDirectory: await chooseSocketDirectory(folder, user),
    logPath: join(stateHome, 'postgres.log'),
    settings: options.settings ?? {},
  }
  const version = await readVersion(cluster.dataDirectory)
  if (version === undefined) await initialize(cluster, folder)
  else requireVersion(cluster, version)
  return cluster
}

/** The environment holds nothing of ours: no secret, no locale and no PG variable that would change the server. */
export const clusterEnvironment = { LC_ALL: 'C', PATH: process.env.PATH }

// initdb works beside the final place, so one that is interrupted leaves nothing that looks like a data directory.
async function initialize(cluster: Cluster, folder: string): Promise<void> {
  const prefix = 'data.new-'
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true })
  }
  const draft = join(folder, prefix + randomBytes(4).toString('hex'))
  try {
    await runInitdb(cluster, draft, folder)
    await rename(draft, cluster.dataDirectory)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

function runInitdb({ binaries, user }: Cluster, dataDirectory: string, folder: string): Promise<void> {
  const args = ['--pgdata', dataDirectory, '--username', databaseUser, '--encoding', 'UTF8', '--locale', 'C']
  // Whoever gets through the private folder to the socket is trusted; nobody gets in over the network.
  args.push('--auth-local', 'trust', '--auth-host', 'reject', '--data-checksums', '--no-instructions')
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, args, {
      ...user?.spawnOptions,
      cwd: folder,
      env: clusterEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-8000))
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', (cause) => reject(explainSpawnError(binaries.initdb, cause)))
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(explainClusterFailure('The embedded store could not be created', output.split('\n'), folder))
    })
  })
}

async function readVersion(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDirectory, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function requireVersion({ binaries, dataDirectory }: Cluster, version: string): void {
  if (version === binaries.majorVersion) return
  throw new HubError(
    'STORE_UNAVAILABLE',
    `${dataDirectory} was written by PostgreSQL ${version}, and this Herma brings ${binaries.majorVersion}. ` +
      'Start the Herma that wrote it, or copy the data to a server with pg_dump and set DATABASE_URL.',
  )
}
